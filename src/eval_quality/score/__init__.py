"""Score: did the evaluation catch the planted defect? (spec 09)"""
