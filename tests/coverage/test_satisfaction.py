"""What witnesses a site of a rule, and what does not quite."""

from __future__ import annotations

from typing import Any

import pytest

from eval_quality.coverage import DisciplineRule, coverage_satisfaction
from tests.contracts import (
    Json,
    equality,
    export_command_operation,
    keyed_shape,
    list_orders_operation,
    minimal_contract,
    oracle,
    place_order_operation,
    response,
    transport_binding,
)

VACUOUS = "the rule is relevant for no site, so satisfaction holds vacuously"
LIST = "/interactions/list/response-body"
MENU = {"referenceSet": "menu"}
ROLES = {"/ok": "success-indicator", "/rows": "payload", "/also": "success-indicator"}
VIOLATING = {"limit": {"literal": 1}, "after": {"matcher": "type-violating"}}


def step(step_id: str, operation_id: str, **changes: Any) -> Json:
    return {
        "stepId": step_id,
        "interfaceId": "shop",
        "operationId": operation_id,
        "inputBinding": transport_binding(),
        "after": None,
        "cardinality": "any",
    } | changes


def contract_of(*operations: Json, steps: list[Json], oracles: list[Json], **changes: Any) -> Json:
    """A contract with one interface; its one behavior lists every oracle."""
    kind = "cli" if "invocation" in operations[0] else "api"
    behavior = minimal_contract()["behaviors"][0] | {"oracles": [each["id"] for each in oracles]}
    return (
        minimal_contract(
            permittedInterfaces=[{"logicalId": "shop", "kind": kind, "operations": list(operations)}],
            interactionPlan=steps,
            oracles=oracles,
            behaviors=[behavior],
        )
        | changes
    )


def ask(rule: DisciplineRule, contract: Any) -> tuple[bool, str]:
    return coverage_satisfaction(contract)[rule]


def satisfied(rule: DisciplineRule, contract: Any) -> bool:
    return ask(rule, contract)[0]


def exists(*pointers: str) -> Json:
    leaves = [{"op": "existence", "operands": [{"pointer": pointer}]} for pointer in pointers]
    return leaves[0] if len(leaves) == 1 else {"op": "all", "operands": leaves}


def reading(identifier: str, *pointers: str, **changes: Any) -> Json:
    """An oracle that addresses these in both channels."""
    return oracle(identifier, exists(*pointers), *pointers, **changes)


class TestSuccessIndicator:
    def contract(self, *oracles: Json, **changes: Any) -> Json:
        descriptor = response(successIndicator="/ok", channelRoles=ROLES) | changes
        operation = list_orders_operation() | {"responseDescriptor": descriptor}
        return contract_of(operation, steps=[step("list", "list-orders")], oracles=list(oracles))

    def test_one_linked_oracle_reads_both(self) -> None:
        contract = self.contract(reading("O-001", f"{LIST}/ok/deep", f"{LIST}/rows"))
        assert ask("success-indicator-separation", contract) == (
            True,
            "every operation the rule fires on has an oracle reading its success indicator beside another roled pointer",
        )
        contract["behaviors"][0]["oracles"] = ["O-999"]
        assert not satisfied("success-indicator-separation", contract)

    @pytest.mark.parametrize(
        "oracles",
        [
            [reading("O-001", f"{LIST}/ok"), reading("O-002", f"{LIST}/rows")],
            [reading("O-001", f"{LIST}/ok", f"{LIST}/also")],
            [reading("O-001", f"{LIST}/ok", f"{LIST}/rows-more")],
            [oracle("O-001", exists(f"{LIST}/ok", f"{LIST}/rows"), f"{LIST}/ok")],
            [oracle("O-001", exists(f"{LIST}/ok"), f"{LIST}/ok", f"{LIST}/rows")],
            [oracle("O-001", exists(f"{LIST}/ok", f"{LIST}/rows"), direction=None)],
        ],
    )
    def test_anything_less_does_not(self, oracles: list[Json]) -> None:
        reason = (
            "no behavior-linked oracle addresses operation list-orders's success indicator beside another roled "
            "pointer at one step, in both channels"
        )
        assert ask("success-indicator-separation", self.contract(*oracles)) == (False, reason)

    def test_the_indicator_alone_is_no_site(self) -> None:
        contract = self.contract(channelRoles={"/ok": "success-indicator"})
        assert ask("success-indicator-separation", contract) == (True, VACUOUS)

    def test_missing_declarations(self) -> None:
        assert ask("success-indicator-separation", self.contract(channelRoles=None)) == (
            False,
            "operation list-orders declares no channel roles, so no pointer is declared to separate the indicator from",
        )
        assert ask("success-indicator-separation", self.contract(successIndicator=None)) == (
            False,
            "operation list-orders nominates no success indicator, so no oracle can separate one from the body",
        )


class TestScalarCommand:
    CODE, OUTPUT = "/interactions/run/exit-code", "/interactions/run/stdout"

    def contract(
        self, *checks: Json, descriptor: Json | None = None, channel: Json | None = None, **changes: Any
    ) -> Json:
        operation = export_command_operation() | {"responseDescriptor": descriptor or response()}
        operation["descriptorChannel"] = channel or operation["descriptorChannel"]
        oracles = [
            oracle(f"O-00{number}", check, self.CODE, self.OUTPUT, **changes) for number, check in enumerate(checks)
        ]
        return contract_of(operation, steps=[step("run", "export-orders")], oracles=oracles)

    def pin(self, code: Any = 0, output: Any = "done\n", op: str = "equality") -> Json:
        sides = [({"pointer": self.CODE}, {"literal": code}), ({"literal": output}, {"pointer": self.OUTPUT})]
        return {"op": "all", "operands": [equality(*side) | {"op": op} for side in sides]}

    @pytest.mark.parametrize("op", ["equality", "deep-equality"])
    def test_exit_code_and_output_pinned_together(self, op: str) -> None:
        assert satisfied("success-indicator-separation", self.contract(self.pin(op=op)))

    def test_other_conjuncts_and_nested_ones_do_no_harm(self) -> None:
        check = {"op": "all", "operands": [self.pin(), self.pin(code=1, output=1), exists(self.CODE)]}
        assert satisfied("success-indicator-separation", self.contract(check))

    def test_the_whole_payload_may_have_a_role(self) -> None:
        for roles, holds in (
            ({"": "payload"}, True),
            ({}, True),
            ({"": "diagnostic"}, False),
            ({"/a": "payload"}, False),
        ):
            contract = self.contract(self.pin(), descriptor=response(channelRoles=roles))
            assert satisfied("success-indicator-separation", contract) is holds

    @pytest.mark.parametrize("code", [1, False, None, "0"])
    def test_another_exit_code(self, code: Any) -> None:
        assert not satisfied("success-indicator-separation", self.contract(self.pin(code=code)))

    def test_output_that_is_no_text(self) -> None:
        assert not satisfied("success-indicator-separation", self.contract(self.pin(output=None)))

    def test_split_or_weakened_checks(self) -> None:
        halves = self.pin()["operands"]
        assert not satisfied("success-indicator-separation", self.contract(*halves))
        for weaker in ({"op": "any", "operands": halves}, {"op": "not", "operands": [self.pin()]}, exists(self.CODE)):
            assert not satisfied("success-indicator-separation", self.contract(weaker))

    def test_an_oracle_that_expects_a_violation(self) -> None:
        assert not satisfied("success-indicator-separation", self.contract(self.pin(), polarity="expects-violation"))

    def test_a_structured_output_or_another_channel(self) -> None:
        structured = response({"rows": "array"})
        assert not satisfied("success-indicator-separation", self.contract(self.pin(), descriptor=structured))
        stderr = {"kind": "stream", "channel": "stderr"}
        assert not satisfied("success-indicator-separation", self.contract(self.pin(), channel=stderr))


class TestWholeBody:
    def contract(self, *oracles: Json) -> Json:
        descriptor = response({"a/b": "string", "c": "string"})
        operation = list_orders_operation() | {"responseDescriptor": descriptor}
        steps = [step("list", "list-orders"), step("again", "list-orders")]
        return contract_of(operation, steps=steps, oracles=list(oracles))

    def test_every_key_at_one_step(self) -> None:
        covering = reading("O-001", f"{LIST}/a~1b", f"{LIST}/c/d")
        closing = (
            "every operation declaring more than one required response key has an oracle covering all of them at one "
            "step"
        )
        assert ask("whole-body", self.contract(covering)) == (True, closing)

    def test_keys_at_two_steps(self) -> None:
        split = reading("O-001", f"{LIST}/a~1b", "/interactions/again/response-body/c")
        assert ask("whole-body", self.contract(split)) == (
            False,
            "no oracle covers every required response key of operation list-orders at one addressed step, in both channels",
        )

    def test_the_body_as_a_whole_is_no_key_of_it(self) -> None:
        assert not satisfied("whole-body", self.contract(reading("O-001", LIST)))


class TestMalformedInput:
    def contract(self, binding: Json, pointer: str = LIST) -> Json:
        steps = [step("list", "list-orders", inputBinding=transport_binding() | binding)]
        check = oracle("O-001", exists(pointer), direction=None)
        return contract_of(list_orders_operation(), steps=steps, oracles=[check])

    def test_a_violating_step_under_a_check(self) -> None:
        closing = "every operation declaring a request key has a type-violating step some check addresses"
        assert ask("malformed-input", self.contract({"query": VIOLATING})) == (True, closing)

    def test_anything_less(self) -> None:
        reason = "no step invoking operation list-orders binds a type-violating matcher under a check that addresses it"
        raw = {"body": {"kind": "raw", "text": "type-violating", "encoding": "utf-8", "mediaType": None}}
        for contract in (
            self.contract({"query": VIOLATING}, "/interactions/list-2/response-body"),
            self.contract({"query": {"after": {"matcher": "any"}}}),
            self.contract(raw),
        ):
            assert ask("malformed-input", contract) == (False, reason)

    def test_no_request_key_is_no_site(self) -> None:
        contract = self.contract({})
        shapes = {channel: keyed_shape() for channel in ("path", "query", "header", "body")}
        contract["permittedInterfaces"][0]["operations"][0]["requestShape"] = shapes
        assert ask("malformed-input", contract) == (True, VACUOUS)


def listing(check: Json, **location: Any) -> Json:
    """``list-orders`` with one collection, and one oracle with this check alone."""
    declared = {"pointer": "/rows", "expectedCardinality": {"mode": "exact"}, "referenceSet": "menu"} | location
    operation = list_orders_operation() | {"responseDescriptor": response(collectionLocations=[declared])}
    return contract_of(operation, steps=[step("list", "list-orders")], oracles=[oracle("O-001", check, direction=None)])


def ranging(op: str, pointer: str, predicate: Json) -> Json:
    return {"op": op, "collection": {"pointer": pointer}, "predicate": predicate}


ANY = exists("@/")


class TestPerRecord:
    @pytest.mark.parametrize(
        "check",
        [
            ranging("for-all", f"{LIST}/rows", ANY),
            ranging("for-any", f"{LIST}/rows", ANY),
            {"op": "not", "operands": [{"op": "any", "operands": [ANY, ranging("for-any", f"{LIST}/rows", ANY)]}]},
            ranging("for-all", LIST, ranging("for-all", "@/rows", ANY)),
            ranging("for-all", f"{LIST}/rows", ranging("for-all", "@/in", ANY)),
        ],
    )
    def test_a_quantifier_anywhere(self, check: Json) -> None:
        closing = "every declared collection location is the collection of some quantifier"
        assert ask("per-record", listing(check)) == (True, closing)

    @pytest.mark.parametrize(
        "check",
        [
            exists(f"{LIST}/rows"),
            ranging("for-all", f"{LIST}/rows/0", ANY),
            ranging("for-all", LIST, ANY),
            ranging("for-all", "@/rows", ANY),
            {"op": "for-all", "collection": {"literal": [1]}, "predicate": ranging("for-all", "@/rows", ANY)},
        ],
    )
    def test_anything_less(self, check: Json) -> None:
        reason = "no check quantifies over collection /rows of operation list-orders"
        assert ask("per-record", listing(check)) == (False, reason)

    def test_a_missing_list(self) -> None:
        contract = listing(ANY)
        contract["permittedInterfaces"][0]["operations"][0]["responseDescriptor"]["collectionLocations"] = None
        for rule, what in (
            ("per-record", "no quantifier can range over a declared collection"),
            ("omission-and-completeness", "no location can be reconciled against a reference set"),
        ):
            reason = f"operation list-orders declares no collection-location list, so {what}"
            assert ask(rule, contract) == (False, reason)


def covering(pointer: str, named: Json | None = None) -> Json:
    operands = [named or MENU, {"pointer": pointer}]
    return {"op": "covers-by-key", "operands": operands, "expectedKey": "tea", "actualKey": "tea"}


def among(named: Json) -> Json:
    return {"op": "set-membership", "operands": [{"pointer": "@/tea"}, named]}


class TestOmission:
    @pytest.mark.parametrize(
        ("mode", "check", "reconciles"),
        [
            ("exact", covering(f"{LIST}/rows"), True),
            ("exact", ranging("for-all", LIST, covering("@/rows")), True),
            ("exact", covering(f"{LIST}/row"), False),
            ("exact", covering(f"{LIST}/rows", {"referenceSet": "other"}), False),
            ("exact", covering(f"{LIST}/rows", {"literal": ["menu"]}), False),
            ("exact", ranging("for-all", f"{LIST}/rows", among(MENU)), False),
            ("at-most", ranging("for-all", f"{LIST}/rows", among(MENU)), True),
            ("page-bounded", ranging("for-all", f"{LIST}/rows", among(MENU)), True),
            ("at-most", ranging("for-any", f"{LIST}/rows", among(MENU)), False),
            ("at-most", ranging("for-all", f"{LIST}/rows", {"op": "all", "operands": [among(MENU), ANY]}), False),
            ("at-most", ranging("for-all", f"{LIST}/rows", among({"referenceSet": "other"})), False),
            ("at-most", ranging("for-all", f"{LIST}/rows", among({"literal": ["menu"]})), False),
            ("at-most", covering(f"{LIST}/rows"), False),
        ],
    )
    def test_the_form_its_cardinality_requires(self, mode: str, check: Json, reconciles: bool) -> None:
        answer = ask("omission-and-completeness", listing(check, expectedCardinality={"mode": mode, "max": 2}))
        reason = (
            "every collection location naming a reference set is reconciled against it in the declared form"
            if reconciles
            else "no check reconciles collection /rows of operation list-orders against reference set menu in the form "
            f"its {mode} cardinality requires"
        )
        assert answer == (reconciles, reason)

    def test_a_location_without_a_set_is_no_site(self) -> None:
        assert ask("omission-and-completeness", listing(ANY, referenceSet=None)) == (True, VACUOUS)


class TestSiblings:
    PLACE, LISTED = ({"interfaceId": "shop", "operationId": each} for each in ("place-order", "list-orders"))

    def contract(self, *oracles: Json, **groups: Any) -> Json:
        return contract_of(
            place_order_operation(),
            list_orders_operation(),
            steps=[step("place", "place-order"), step("list", "list-orders"), step("again", "list-orders")],
            oracles=list(oracles),
            siblingGroups={"operations": [], "parameters": []} | groups,
        )

    def test_one_oracle_reads_two_operations(self) -> None:
        both = reading("O-001", "/interactions/place", f"{LIST}/a")
        answer = ask("sibling-cross-check", self.contract(both, operations=[[self.PLACE, self.LISTED]]))
        assert answer == (True, "every declared sibling group has an oracle reading two of its members")

    @pytest.mark.parametrize(
        "oracles",
        [
            [reading("O-001", f"{LIST}/a", "/interactions/again/stdout")],
            [reading("O-001", "/interactions/place/stdout"), reading("O-001", LIST)],
            [oracle("O-001", exists("/interactions/place/stdout", LIST), LIST)],
            [reading("O-001", "/interactions/place-2/stdout", LIST)],
        ],
    )
    def test_anything_less(self, oracles: list[Json]) -> None:
        answer = ask("sibling-cross-check", self.contract(*oracles, operations=[[self.PLACE, self.LISTED]]))
        members = "place-order and list-orders"
        reason = f"no oracle addresses two members of the operation sibling group {members} in both channels"
        assert answer == (False, reason)

    def test_a_member_repeated_is_one_member(self) -> None:
        reader = reading("O-001", f"{LIST}/a", "/interactions/again/stdout")
        contract = self.contract(reader, operations=[[self.LISTED, self.LISTED]])
        assert ask("sibling-cross-check", contract)[1].endswith("group list-orders in both channels")

    def test_one_oracle_reads_two_parameters(self) -> None:
        inputs = ("/interactions/list/call-inputs/query/a~1b/deep", "/interactions/place/call-inputs/body/c")
        contract = self.contract(reading("O-001", *inputs), parameters=[["a/b", "c", "d"]])
        assert satisfied("sibling-cross-check", contract)
        for missing in (["a/b", "d"], ["a~1b", "c"]):
            contract["siblingGroups"]["parameters"] = [missing]
            assert ask("sibling-cross-check", contract) == (
                False,
                f"no oracle addresses two members of the parameter sibling group {' and '.join(missing)} in both channels",
            )

    def test_inputs_of_an_unplanned_step_are_nobodys(self) -> None:
        inputs = ("/interactions/other/call-inputs/query/a", "/interactions/place/call-inputs/query/b")
        assert not satisfied("sibling-cross-check", self.contract(reading("O-001", *inputs), parameters=[["a", "b"]]))

    def test_no_group_is_vacuous_and_no_declaration_a_gap(self) -> None:
        assert ask("sibling-cross-check", self.contract()) == (True, VACUOUS)
        reason = "the contract declares no sibling groups, so no group is declared to cross-check"
        assert ask("sibling-cross-check", self.contract() | {"siblingGroups": None}) == (False, reason)


class TestReadBack:
    SENT, READ = "/interactions/place/call-inputs/body/tea", f"{LIST}/orders/0/tea"

    def contract(self, check: Json, *, read: Json | None = None) -> Json:
        return contract_of(
            place_order_operation(),
            list_orders_operation(),
            steps=[step("place", "place-order"), step("list", "list-orders", after="place") | (read or {})],
            oracles=[oracle("O-001", check, direction=None)],
        )

    def relating(self, sent: str, read: str) -> Json:
        return equality({"pointer": sent}, {"pointer": read})

    def test_one_leaf_reads_both(self) -> None:
        closing = "every state-changing operation is read back through a later non-state-changing step"
        for check in (
            self.relating(self.SENT, self.READ),
            {"op": "not", "operands": [self.relating(self.READ, "/interactions/place/call-inputs/body")]},
            ranging("for-any", f"{LIST}/orders", self.relating("@/tea", self.SENT)),
        ):
            assert ask("state-change-read-back", self.contract(check)) == (True, closing)

    def test_anything_less(self) -> None:
        reason = (
            "no check relates operation place-order's call inputs to the response body of a later step that changes no "
            "state"
        )
        for check in (
            exists(self.SENT, self.READ),
            self.relating("/interactions/place/response-body/tea", self.READ),
            self.relating(self.SENT, "/interactions/list/response-status"),
            ranging("for-all", self.SENT, exists(self.READ)),
        ):
            assert ask("state-change-read-back", self.contract(check)) == (False, reason)

    @pytest.mark.parametrize(
        "read", [{"after": None}, {"operationId": "place-order"}, {"operationId": "unknown"}, {"stepId": "place"}]
    )
    def test_a_step_that_does_not_read_back(self, read: Json) -> None:
        contract = self.contract(self.relating(self.SENT, self.READ), read=read)
        assert not satisfied("state-change-read-back", contract)

    def test_a_step_does_not_read_itself_back(self) -> None:
        """Spec 04, section 8.7: two steps of one identifier are one step."""
        read: Json = {"stepId": "place"}
        contract = self.contract(self.relating(self.SENT, "/interactions/place/response-body/orders"), read=read)
        assert not satisfied("state-change-read-back", contract)

    def test_an_operation_declared_twice_reads_nothing_back(self) -> None:
        contract = self.contract(self.relating(self.SENT, self.READ))
        contract["permittedInterfaces"][0]["operations"].append(list_orders_operation())
        assert not satisfied("state-change-read-back", contract)

    def test_a_command_is_read_where_it_is_described(self) -> None:
        command = export_command_operation() | {"descriptorChannel": {"kind": "artifact", "artifactId": "log"}}
        contract = self.contract(self.relating(self.SENT, "/interactions/list/artifact/log/0"))
        contract["permittedInterfaces"].append({"logicalId": "shop-cli", "kind": "cli", "operations": [command]})
        contract["interactionPlan"][1] |= {"interfaceId": "shop-cli", "operationId": "export-orders"}
        assert satisfied("state-change-read-back", contract)
        contract["oracles"][0]["check"] = self.relating(self.SENT, "/interactions/list/stdout")
        assert not satisfied("state-change-read-back", contract)
