"""What frameworks make of the schema of a signature before they serve it."""

from __future__ import annotations

from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.schema_parts import anything
from toolsurface_lint.programs.values import Entry, Items, Literal, Made, Mapping, Value


def unwrapped(schema: Mapping) -> Mapping:
    """The schema of the only parameter, if that is a model: then its fields are what is passed."""
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and len(properties.entries) == 1:
        (entry,) = properties.entries.values()
        if isinstance(entry.value, Mapping) and "properties" in entry.value.entries:
            return entry.value
    return schema


def transformed(schema: Mapping, transforms: Value) -> Mapping:
    """What `transform_args` makes of the schema of a signature; an incomplete one where that is not known."""
    made = Mapping(schema.module, schema.node)
    made.entries.update(schema.entries)
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(transforms, Mapping) or not isinstance(properties, Mapping):
        made.complete = False
        return made
    needed = [builtins_of.plain(item) for item in required.items] if isinstance(required, Items) else []
    changed = Mapping(properties.module, properties.node)
    still = Items([], schema.module, schema.node)
    for name, entry in properties.entries.items():
        options = _options(transforms.get(name))
        if options is None:
            made.complete = False
            return made
        if _is_true(options.get("hide")):
            continue
        parameter = Mapping(entry.value.module, entry.value.node)
        if isinstance(entry.value, Mapping) and "type" not in options.entries:
            parameter.entries.update(entry.value.entries)
        elif "type" in options.entries and schema.module is not None and schema.node is not None:
            parameter = anything(schema.module, schema.node)
        for key in ("description", "default"):
            if key in options.entries:
                parameter.entries[key] = options.entries[key]
        given = options.get("name")
        label = given if isinstance(given, Literal) and isinstance(given.value, str) else entry.key
        written = str(builtins_of.plain(label))
        changed.entries[written] = Entry(label, parameter)
        if _is_true(options.get("required")) or (name in needed and "default" not in options.entries):
            still.items.append(Literal(written, label.module, label.node))
    made.set("properties", changed)
    made.entries.pop("required", None)
    if still.items:
        made.set("required", still)
    made.complete = transforms.complete
    return made


def _options(given: Value | None) -> Mapping | None:
    """What is said of one parameter; None if that is not known."""
    if isinstance(given, Made) and given.last in ("ArgTransform", "ArgTransformConfig") and not given.arguments.open:
        options = Mapping(given.module, given.node)
        for key, argument in given.arguments.keywords.items():
            options.set_at(key, argument.value, argument.module, argument.key)
        return options
    if given is None:
        return Mapping()
    return given if isinstance(given, Mapping) and given.complete else None


def _is_true(value: Value | None) -> bool:
    return isinstance(value, Literal) and value.value is True
