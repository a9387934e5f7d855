"""Tests the test: did an evaluation of an AI agent, skill or tool catch the planted defect?"""
