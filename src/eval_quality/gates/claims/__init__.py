"""The classes of claim that ``doc-claims`` holds: one module each (spec 14, section 10).

A class is a model of its block. ``requests`` says which values of modules it needs, ``check`` compares the pages with
the tree and answers its part of the summary and what disagrees.
"""
