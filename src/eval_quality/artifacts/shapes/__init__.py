"""Shapes: what a JSON value must look like, judged in two ways that agree (spec 01 section 2, spec 02 section 3).

``Shape.accepts(value)`` answers fast whether a value conforms *and* already is in normal form; nearly every value does.
``Shape.report(value, path, issues)`` is the authority on everything else: it collects every issue in the published order
and returns a fresh value in normal form. ``Shape.judge(value)`` asks the one and then, if need be, the other. The rules:

1. An issue is soft, hard or blocking. Patterns, number bounds and cross-field rules run only while no hard issue lies on
   or inside the value; length bounds run on whatever has a length unless a blocking issue lies inside.
2. A closed object reports its fields in declared order, then all unknown keys in one issue.
3. A caller-keyed map is read in JavaScript's own-key order and silently loses a key ``__proto__``, as does every object
   inside a JSON value; a closed object refuses that key like any unknown one.
4. A tagged union speaks through the arm its tag selects. A plain union passes with the first arm that has no issue, and
   otherwise reports the issues of its only soft arm, or else that nothing fits.

Normal form: integral numbers within +-(2**53 - 1) are ``int``, all others and negative zero ``float``; arrays are lists;
maps are in own-key order. The keys of closed objects are in whatever order they came: no rule reads it.
"""

from .base import Acceptor, Deferred, Named, Shape
from .choices import Nullable, OneOf, Ruled
from .composites import Array, Closed, Mapped, Tagged, Tuple
from .findings import Finding, Path
from .leaves import BOOLEAN, BYTES, JSON, NULL, Choice, Instance, Json, Number, Text

__all__ = [
    "BOOLEAN",
    "BYTES",
    "JSON",
    "NULL",
    "Acceptor",
    "Array",
    "Choice",
    "Closed",
    "Deferred",
    "Finding",
    "Instance",
    "Json",
    "Mapped",
    "Named",
    "Nullable",
    "Number",
    "OneOf",
    "Path",
    "Ruled",
    "Shape",
    "Tagged",
    "Text",
    "Tuple",
]
