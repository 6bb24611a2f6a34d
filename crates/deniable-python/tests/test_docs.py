"""What is written about the package is there and true: examples, signatures, types."""

import ast
import doctest
import inspect
import pathlib

import pytest

import deniable

PUBLIC = {name: getattr(deniable, name) for name in deniable.__all__}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}


def members(cls):
    """The public attributes of a class, without what Python gives all classes."""
    return {name: inspect.getattr_static(cls, name) for name in vars(cls) if not name.startswith("_")}


def documented():
    """All that has a docstring to be read: the package, what it has, and what that has."""
    yield "deniable", deniable
    yield from PUBLIC.items()
    for name, cls in CLASSES.items():
        for member in members(cls):
            yield f"{name}.{member}", getattr(cls, member)


DOCUMENTED = dict(documented())


@pytest.mark.parametrize("name", DOCUMENTED)
def test_it_has_a_docstring(name):
    assert len((DOCUMENTED[name].__doc__ or "").strip()) >= 5


WITH_EXAMPLES = [name for name, thing in DOCUMENTED.items() if ">>>" in (thing.__doc__ or "")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name):
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(DOCUMENTED[name]), dict(vars(deniable)), name, None, None
    )
    assert test.examples
    said = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
    assert result.attempted == len(test.examples)


def test_there_are_examples():
    constructors = {name for name in PUBLIC if name.startswith(("make_", "debias_"))}
    classes = {"Measurement", "Counts", "Survey", "RapporParams", "RapporClient", "RapporCounts"}
    assert constructors | classes | {"deniable"} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("name", [name for name, thing in DOCUMENTED.items() if inspect.isroutine(thing)])
def test_help_knows_the_parameters(name):
    thing = DOCUMENTED[name]
    if not inspect.isfunction(thing):
        assert thing.__text_signature__ is not None
    inspect.signature(thing)


def test_help_of_a_method_of_an_object_does_not_ask_for_the_object():
    mechanism = deniable.make_randomized_response_bool(0.75)
    for name, member in members(deniable.Measurement).items():
        if inspect.isroutine(member):
            assert "self" not in inspect.signature(getattr(mechanism, name)).parameters


# The types: `__init__.pyi` beside the package says what is there, and nothing else.


def parameters_of(parameters):
    """Names, kinds and defaults, without the object."""
    shown = {}
    for parameter in parameters:
        if parameter.name == "self" and not shown:
            continue
        default = "none" if parameter.default is parameter.empty else repr(parameter.default)
        shown[parameter.name] = (parameter.kind.name, default)
    return shown


def stub():
    path = pathlib.Path(deniable.__file__).with_suffix(".pyi")
    assert (path.parent / "py.typed").exists()
    return ast.parse(path.read_text())


def stubbed(function):
    """The parameters of a function of the types, as of one that can be called."""
    arguments = function.args
    assert not (arguments.posonlyargs or arguments.vararg or arguments.kwarg)
    shown = {}
    for argument in arguments.args:
        shown[argument.arg] = ("POSITIONAL_OR_KEYWORD", "none")
    for argument, default in zip(arguments.args[::-1], arguments.defaults[::-1]):
        shown[argument.arg] = ("POSITIONAL_OR_KEYWORD", repr(ast.literal_eval(default)))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        value = "none" if default is None else repr(ast.literal_eval(default))
        shown[argument.arg] = ("KEYWORD_ONLY", value)
    shown.pop("self", None)
    return shown


def test_types_name_what_is_public():
    body = stub().body
    defined = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    listed = next(
        ast.literal_eval(node.value)
        for node in body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    assert defined == set(deniable.__all__) and listed == deniable.__all__ == sorted(deniable.__all__)
    assert isinstance(deniable.__version__, str)


def test_types_of_functions_have_their_parameters():
    functions = {node.name: node for node in stub().body if isinstance(node, ast.FunctionDef)}
    assert len(functions) == len(PUBLIC) - len(CLASSES)
    for name, function in functions.items():
        assert stubbed(function) == parameters_of(inspect.signature(PUBLIC[name]).parameters.values()), name


def test_types_of_classes_have_their_members():
    for node in stub().body:
        if not isinstance(node, ast.ClassDef):
            continue
        cls = CLASSES[node.name]
        functions = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
        annotated = {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)}
        public = {name for name in functions if not name.startswith("_")}
        assert public == set(members(cls)), node.name
        for name, function in functions.items():
            decorators = {decorator.id for decorator in function.decorator_list}
            if "property" in decorators:
                assert not callable(inspect.getattr_static(cls, name)), (node.name, name)
            elif name == "__init__":
                found = inspect.signature(cls).parameters.values()
                assert stubbed(function) == parameters_of(found), node.name
            elif name.startswith("__"):
                assert name in vars(cls), (node.name, name)
            else:
                is_static = isinstance(inspect.getattr_static(cls, name), staticmethod)
                assert is_static == ("staticmethod" in decorators), (node.name, name)
                found = inspect.signature(getattr(cls, name)).parameters.values()
                assert stubbed(function) == parameters_of(found), (node.name, name)
        if "__init__" in functions and annotated:
            # What an object has that its class does not say.
            source = ast.parse(inspect.getsource(cls).replace("\t", "    ")).body[0]
            assigned = {
                target.attr
                for one in ast.walk(source)
                if isinstance(one, ast.Assign)
                for target in one.targets
                if isinstance(target, ast.Attribute) and not target.attr.startswith("_")
            }
            assert annotated == assigned, node.name


def test_the_lines_for_spark_are_those_of_the_example():
    """Which runs in the tests. Only the path is another."""
    folder = pathlib.Path(__file__).parent.parent
    section = (folder / "README.md").read_text().split("## On Spark")[1]
    code = section.split("```python\n")[1].split("```")[0].replace("(path)", '(f"{folder}/reports")')
    example = (folder / "examples" / "spark.py").read_text().splitlines()
    for line in code.splitlines():
        assert line.split("  #")[0].rstrip() in example, line
