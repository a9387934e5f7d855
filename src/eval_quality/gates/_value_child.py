"""Reads values out of modules, in a process of its own (spec 14, section 2.4).

``python _value_child.py <reply file>``: a JSON request on standard input, the JSON reply in the file, because what is
imported may print. It needs nothing but the standard library of Python 3.9, so that any interpreter can run it; the
gates import its rules for counting what a JSON file holds.
"""

from __future__ import annotations

import asyncio
import enum
import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any


class ValueRefusal(Exception):
    """A value is absent or not of the kind that was asked for; the message says which and why."""


def type_word(value: object) -> str:
    """The word a message uses for a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (list, tuple, set, frozenset)):
        return "an array"
    return "function" if callable(value) and not isinstance(value, type) else "object"


def walk(value: object, keys: list[str], name: str, no_properties: str = "{type}, which has no properties") -> object:
    """What the keys lead to: a mapping's key, a sequence's index, else a public attribute."""
    for key in keys:
        value = _step(value, key, name, no_properties)
    return value


def _step(value: Any, key: str, name: str, no_properties: str) -> object:
    if isinstance(value, Mapping):
        known = [str(member) for member in value]
        if key in value:
            return value[key]
    elif value is None or isinstance(value, (str, bool, int, float)):
        raise ValueRefusal(f'{name}: "{key}" was reached on {no_properties.format(type=type_word(value))}')
    elif isinstance(value, (list, tuple)):
        known = [str(index) for index in range(len(value))]
        if key in known:
            return value[int(key)]
    else:
        known = [member for member in dir(value) if not member.startswith("_")]
        if key in known:
            return getattr(value, key)
    raise ValueRefusal(f'{name}: "{key}" is absent; the keys there are {", ".join(sorted(known))}')


def take_count(value: Any, take: str, where: str) -> int:
    """The count a value holds: itself, its length, or how many keys it has."""
    word = type_word(value)
    if take == "value":
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        if isinstance(value, float) and value.is_integer() and value >= 0:
            return int(value)
        raise ValueRefusal(
            f'{where} is {word} and take is "value", so a count was expected; a list takes "length" and a table takes '
            '"keys"'
        )
    if take == "length":
        if isinstance(value, str):
            raise ValueRefusal(
                f'{where} is a string and take is "length", which would count its characters; a page counts members, '
                "so name a list"
            )
        try:
            return len(value)
        except TypeError:
            raise ValueRefusal(f'{where} is {word} and take is "length", which it has none of') from None
    if isinstance(value, Mapping) or _is_enum(value):
        return len(value)
    raise ValueRefusal(f'{where} is {word} and take is "keys", which only an object has')


def _is_enum(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, enum.Enum)


def _count(value: object, request: dict[str, Any]) -> object:
    return take_count(value, request["take"], request["name"])


def _strings(value: Any, request: dict[str, Any]) -> object:
    members = [member.value for member in value] if _is_enum(value) else value
    if isinstance(members, (set, frozenset)):
        members = sorted(members, key=str)
    if isinstance(members, (list, tuple)) and all(isinstance(member, str) for member in members):
        return list(members)
    raise ValueRefusal(f"{request['name']} is {type_word(value)}, and a list of strings was expected")


def _called(value: Any) -> tuple[object, bool]:
    """A function's result, awaited when it has to be, and whether there was a function."""
    if type_word(value) != "function":
        return value, False
    result = value()
    return (asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result), True


async def _awaited(result: Any) -> object:
    return await result


def _text(value: object, request: dict[str, Any]) -> object:
    text, called = _called(value)
    if isinstance(text, str):
        return text
    if called:
        raise ValueRefusal(
            f"{request['name']} is a function and it returned {type_word(text)}; a transcription source returns the "
            "text"
        )
    raise ValueRefusal(
        f"{request['name']} is {type_word(value)}, and a string or a function returning one was expected"
    )


def _predicate(value: object, request: dict[str, Any]) -> object:
    answer, called = _called(value)
    if isinstance(answer, bool):
        return answer
    if called:
        raise ValueRefusal(
            f"{request['name']} is a function and it returned {type_word(answer)}; a predicate answers true or false"
        )
    raise ValueRefusal(
        f"{request['name']} is {type_word(value)}, and a boolean or a function returning one was expected"
    )


def _schema(value: Any, request: dict[str, Any]) -> object:
    """For each JSON text of the request, what the schema has against it."""
    validate = _validator(value, request["name"])
    return [validate(text) for text in request["values"]]


def _validator(value: Any, name: str) -> Callable[[str], Any]:
    if hasattr(value, "safe_parse"):
        return lambda text: _safe_parse_issues(value.safe_parse(json.loads(text)))
    for method in ("model_validate_json", "validate_json"):
        if hasattr(value, method):
            return lambda text: _raised_issues(getattr(value, method), text)
    if isinstance(value, Mapping):
        return _json_schema_validator(value, name)
    if callable(value):
        return lambda text: _raised_issues(value, json.loads(text))
    raise ValueRefusal(
        f"{name} is {type_word(value)} and is no schema; a schema source names a pydantic model, a TypeAdapter, a JSON "
        "Schema or a callable that raises"
    )


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _safe_parse_issues(result: Any) -> Any:
    if _member(result, "success"):
        return []
    issues = _member(_member(result, "error"), "issues") or []
    return [([*(_member(issue, "path") or [])], str(_member(issue, "message"))) for issue in issues] or [([], "")]


def _raised_issues(validate: Callable[[Any], object], value: object) -> Any:
    try:
        validate(value)
    except (ValueError, TypeError) as error:
        errors = getattr(error, "errors", None)
        if callable(errors):
            return [(list(issue["loc"]), issue["msg"]) for issue in errors()]
        return [([], str(error))]
    return []


def _json_schema_validator(schema: Mapping[str, Any], name: str) -> Callable[[str], Any]:
    try:
        jsonschema: Any = importlib.import_module("jsonschema")
    except ImportError:
        raise ValueRefusal(f"{name} is a JSON Schema, and the interpreter that reads it has no jsonschema") from None
    validator = jsonschema.Draft202012Validator(schema)

    def validate(text: str) -> Any:
        errors = sorted(validator.iter_errors(json.loads(text)), key=lambda error: [str(key) for key in error.path])
        return [(list(deepest.absolute_path), deepest.message) for deepest in map(_deepest, errors)]

    return validate


def _deepest(error: Any) -> Any:
    """A union's failure, opened at the branch that got furthest into the value."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error


_WANTS = {"count": _count, "strings": _strings, "text": _text, "predicate": _predicate, "schema": _schema}


def _import(module: str) -> Any:
    """A module by its dotted name, or by its file: under the name the path gives it, when there is one."""
    if "/" not in module and not module.endswith(".py"):
        return importlib.import_module(module)
    file = os.path.abspath(module)
    for directory in sys.path:
        base = os.path.abspath(directory) + os.sep
        names = file[len(base) :].rpartition(".")[0].split(os.sep)
        if file.startswith(base) and all(name.isidentifier() for name in names):
            return importlib.import_module(".".join(names).removesuffix(".__init__"))
    spec = importlib.util.spec_from_file_location("_named_by_file", file)
    if spec is None or spec.loader is None or not os.path.exists(file):
        raise ModuleNotFoundError(f"No module at {module}")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    module, export = request["module"], request["export"]
    try:
        imported = _import(module)
    except BaseException as error:
        return {"refusal": f"{module} could not be imported: {type(error).__name__}: {error}"}
    try:
        if not hasattr(imported, export):
            names = getattr(imported, "__all__", None) or [name for name in dir(imported) if not name.startswith("_")]
            raise ValueRefusal(f'{module} exports no "{export}"; it exports {", ".join(sorted(names)) or "nothing"}')
        value = walk(getattr(imported, export), request["path"], request["name"])
        return {"value": _WANTS[request["want"]](value, request)}
    except ValueRefusal as refusal:
        return {"refusal": str(refusal)}


def main() -> None:
    request = json.load(sys.stdin)
    sys.path[:0] = [os.path.abspath(directory) for directory in request["path"]]
    answers = [_answer(value) for value in request["values"]]
    with open(sys.argv[1], "w", encoding="utf-8") as reply:
        json.dump(answers, reply)


if __name__ == "__main__":
    if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]  # the directory of this file is no place to import from
    main()
