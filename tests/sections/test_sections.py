"""Sections: what their keys take, what they say of everything else, and that nothing is made before it is needed."""

import copy
import pickle
from typing import Annotated, Any, ClassVar, Literal

import pytest

from ringlet import RingletError
from ringlet.sections import After, Before, Field, Section, refuse, wording


class Cable(Section):
    """A cable."""

    kind: Literal["copper", "fibre"] = "copper"
    length_m: float = Field(gt=0, le=100)


def _even(value: int) -> int:
    if value % 2:
        raise refuse("an even number")
    return value


class Rack(Section):
    """A rack."""

    units: Annotated[int, Field(ge=1), After(_even)] = 42
    name: str | None = Field(default=None, min_length=2, pattern="^[a-z]+$")
    cables: list[Cable] = Field(default=[], max_length=2)
    weights: list[float] | float = 1.0
    labels: dict[str, int | Literal["none"]] = Field(default={})
    quick: Annotated[list[int], Field(fail_fast=True)] = Field(default=[])
    open: bool = False
    limit: int | None = Field(default=None, lt=10)
    _opened: int = 0
    made_of: ClassVar[str] = "steel"


def refusals(**keys: Any) -> tuple[str, ...]:
    with pytest.raises(RingletError) as caught:
        Rack(**keys)
    return caught.value.args


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"units": 0}, "units: 0 is not allowed; at least 1"),
        ({"units": 3}, "units: 3 is not allowed; an even number"),
        ({"units": 2.0}, "units: 2.0 is not allowed; a whole number"),
        ({"units": True}, "units: True is not allowed; a whole number"),
        ({"open": 1}, "open: 1 is not allowed; true or false"),
        ({"name": 3}, "name: 3 is not allowed; a string"),
        ({"name": "a"}, "name: 'a' is not allowed; string should have at least 2 characters"),
        ({"name": "AB"}, "name: 'AB' is not allowed; string should match pattern '^[a-z]+$'"),
        ({"limit": 10}, "limit: 10 is not allowed; below 10"),
        ({"weights": "1"}, "weights: '1' is not allowed; a list or a number"),
        ({"weights": float("nan")}, "weights: nan is not allowed; a list or a finite number"),
        ({"labels": {"a b": 1.5}}, "labels.\"a b\": 1.5 is not allowed; a whole number or 'none'"),
        ({"labels": 3}, "labels: 3 is not allowed; a table"),
        ({"cables": [{}]}, "cables[0].length_m: missing; it has to be given"),
        ({"cables": [{"length_m": 101}]}, "cables[0].length_m: 101 is not allowed; at most 100.0"),
        ({"cables": [3]}, "cables[0]: 3 is not allowed; a table"),
        ({"cables": [{"length_m": 1, "kind": "gold"}]}, "cables[0].kind: 'gold' is not allowed; 'copper' or 'fibre'"),
        ({"unit": 2}, "unit: unknown key; did you mean 'units'?"),
        ({"length_m": 2}, "length_m: unknown key; did you mean 'cables.length_m'?"),
        ({"made_of": "wood"}, "made_of: unknown key; known keys are"),
        ({"_opened": 1}, "_opened: unknown key; did you mean 'open'?"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_with_its_place_and_what_is_allowed(keys, message):
    (said,) = refusals(**keys)
    assert said.startswith(message)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, "2"], "rack.weights[1]: '2' is not allowed; a number"),
        ([1.0, float("inf")], "rack.weights[1]: inf is not allowed; a finite number"),
        ("1", "rack.weights: '1' is not allowed; a list or a number"),
    ],
)
def test_of_several_types_the_one_that_got_furthest_into_the_value_is_told(weights, message):
    class Hall(Section):
        """A place for a rack."""

        rack: Rack

    with pytest.raises(RingletError) as caught:
        Hall(rack={"weights": weights})
    assert caught.value.args == (message,)


def test_everything_that_is_wrong_is_said_at_once():
    assert refusals(units=0, cables=[{"length_m": -1}, {"kind": "fibre"}], open="yes") == (
        "units: 0 is not allowed; at least 1",
        "cables[0].length_m: -1 is not allowed; above 0.0",
        "cables[1].length_m: missing; it has to be given",
        "open: 'yes' is not allowed; true or false",
    )


def test_of_a_list_that_fails_fast_the_first_mistake_is_said_alone():
    assert refusals(quick=["a", "b"]) == ("quick[0]: 'a' is not allowed; a whole number",)


def test_a_whole_number_stands_for_a_real_one_and_nothing_else_is_converted():
    rack = Rack(weights=[1, 2.5], cables=[{"length_m": 3}], labels={"a": 1})
    assert repr(rack.weights) == "[1.0, 2.5]"
    assert repr(rack.cables[0].length_m) == "3.0"
    assert rack.labels == {"a": 1}


def test_a_key_that_may_be_none_takes_it_without_its_limits():
    assert Rack(name=None, limit=None).table() == Rack().table()


def test_a_section_is_checked_again_where_it_becomes_part_of_another_one():
    cable = Cable.by_default()
    assert cable.length_m is None
    assert refusals(cables=[cable]) == ("cables[0].length_m: None is not allowed; a number",)
    assert Rack(cables=[Cable(length_m=2)]).cables == [Cable(length_m=2.0)]


def test_defaults_are_not_shared():
    Rack().cables.append(Cable(length_m=1))
    assert Rack().cables == []


def test_a_section_does_not_change():
    rack = Rack()
    with pytest.raises(AttributeError, match=r"Rack\.units"):
        rack.units = 2
    assert rack.changed(units=2) == Rack(units=2) != rack


def test_a_table_has_what_is_wanted_of_it():
    rack = Rack(units=42, cables=[Cable(length_m=1)])
    assert rack.given == {"units", "cables"}
    assert rack.table(only_given=True) == {"units": 42, "cables": [{"length_m": 1.0}]}
    assert rack.table(without_defaults=True) == {"cables": [{"length_m": 1.0}]}
    assert set(rack.table(with_none=True)) - set(rack.table()) == {"name", "limit"}
    assert "units" not in rack.table(without={"units"})


def test_a_section_can_be_copied_and_sent_to_another_process():
    rack = Rack(cables=[{"length_m": 1}], name="left")
    assert pickle.loads(pickle.dumps(rack)) == copy.deepcopy(rack) == rack
    assert hash(Cable(length_m=1)) == hash(Cable(length_m=1.0))


def test_a_subclass_keeps_the_order_of_keys_and_may_narrow_them():
    class Thick(Cable):
        """A thick one."""

        colour: str = "black"
        kind: Literal["copper"] = "copper"

    assert list(Thick.fields) == ["kind", "length_m", "colour"]
    assert list(Cable.fields) == ["kind", "length_m"]
    with pytest.raises(RingletError, match=r"kind: 'fibre' is not allowed; 'copper'$"):
        Thick(kind="fibre", length_m=1)


def test_a_check_is_made_for_the_first_value_of_a_key():
    made = []

    def noted(value: object) -> object:
        made.append(value)
        return value

    class Lazy(Section):
        """With a type that no key can have."""

        good: Annotated[int, Before(noted)] = 1
        bad: set[int] = Field(default=None)

    assert Lazy(good=2).good == 2
    assert made == [2]
    with pytest.raises(TypeError, match="a key cannot be of type set"):
        Lazy(bad=[1])


def test_no_key_has_a_name_that_all_sections_have():
    with pytest.raises(TypeError, match=r"Odd\.table: no key can have this name"):

        class Odd(Section):
            """With such a key."""

            table: int = 1


def test_of_very_many_mistakes_only_those_shown_are_put_into_words(monkeypatch):
    made = []
    in_words = wording._message
    monkeypatch.setattr(wording, "_message", lambda *given: made.append(given) or in_words(*given))
    with pytest.raises(RingletError) as refused:
        Cable.checked({f"wrong_{number}": 1 for number in range(5_000)}, named="cable")
    assert len(refused.value.args) == 51
    assert refused.value.args[-1].startswith("and 49")
    assert len(made) <= 51


def test_behind_the_first_wrong_tables_of_a_list_the_wrong_keys_of_the_others_are_counted():
    class Store(Section):
        """Where cables lie."""

        cables: list[Cable] = Field(default=[])

    # A misspelt key explains the missing one beside it; the last table has two wrong keys.
    wrong = [{"lenght_m": 1}] * 299 + [{"length_m": -1, "kind": "gold"}]
    with pytest.raises(RingletError) as refused:
        Store(cables=wrong)
    *told, rest = refused.value.args
    assert told == [f"cables[{place}].lenght_m: unknown key; did you mean 'length_m'?" for place in range(50)]
    assert rest == "and 251 more"


@pytest.mark.parametrize(
    ("wrong", "right", "rest"), [(999, 5_000, "and 949 more"), (1_000, 0, "and 950 more"), (1_001, 0, None)]
)
def test_behind_a_thousand_wrong_tables_of_a_list_no_further_one_is_looked_at(wrong, right, rest):
    class Store(Section):
        """Where cables lie."""

        cables: list[Cable] = Field(default=[])

    with pytest.raises(RingletError) as refused:
        Store(cables=[{"lenght_m": 1}] * wrong + [{"length_m": 1}] * right)
    assert refused.value.args[-1] == (rest or "and at least 950 more")


def test_of_a_list_of_values_the_first_wrong_one_is_told():
    assert refusals(cables=[1, 2]) == ("cables[0]: 1 is not allowed; a table",)
    assert refusals(quick=[1], labels={"a": 1.5, "b": 1.5}) == tuple(
        f"labels.{name}: 1.5 is not allowed; a whole number or 'none'" for name in "ab"
    )
