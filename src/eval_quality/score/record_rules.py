"""Rules about a probe's record: its defects, its route, its evidence, the presence of a signature.

Spec 09, sections 7.3 and 7.4, steps 1 to 5; AD-9, AD-40.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from eval_quality.artifacts.defect_signature import DefectSignature
from eval_quality.artifacts.probe import Probe, ProbeClass
from eval_quality.artifacts.probe_qualification import QualificationRoute

from .home_operation import signature_of
from .qualification_rule import Breach, Rule


class AdmissibleRoute(NamedTuple):
    """The route that probes of a kind are qualified by; ``None`` admits any class, any sources."""

    expected_clean: bool
    probe_class: ProbeClass | None
    sources: frozenset[str] | None
    route: QualificationRoute


ADMISSIBLE_ROUTES: Final = (
    AdmissibleRoute(True, "zero-action", None, "clean-control"),
    AdmissibleRoute(False, "gameability", None, "gameability"),
    AdmissibleRoute(False, "canary", None, "canary"),
    AdmissibleRoute(False, None, frozenset({"natural"}), "historical"),
    AdmissibleRoute(False, None, frozenset({"controlled-mutation"}), "controlled-mutation"),
)
"""AD-9, read from the top; a probe that no row is about has no admissible route."""

_SOURCELESS_CLASSES: Final = ("gameability", "canary")
"""Classes whose route does not depend on where defects come from."""


@dataclass(frozen=True)
class ProbeRecord:
    """A probe under judgement."""

    probe: Probe

    @property
    def path(self) -> str:
        return f"Probe[probeId={self.probe['probeId']}]"

    @property
    def clean(self) -> bool:
        return self.probe["expectedClean"]

    @property
    def probe_class(self) -> ProbeClass:
        return self.probe["probeClass"]

    @property
    def sources(self) -> frozenset[str]:
        return frozenset(defect["source"] for defect in self.probe["defects"])

    @property
    def signature(self) -> DefectSignature | None:
        return signature_of(self.probe)

    @property
    def qualification(self) -> Mapping[str, Any]:
        return cast(Mapping[str, Any], self.probe["qualification"])

    @property
    def admissible_route(self) -> QualificationRoute | None:
        """The route the probe's class and defects admit."""
        return next(
            (
                row.route
                for row in ADMISSIBLE_ROUTES
                if row.expected_clean == self.clean
                and row.probe_class in (None, self.probe_class)
                and row.sources in (None, self.sources)
            ),
            None,
        )

    def denies(self, route: QualificationRoute, field: str) -> bool:
        """Whether the record is of a route, admissible or not, and does not state what that route asks for."""
        return self.qualification["route"] == route and not self.qualification[field]


def _incompatible_route(record: ProbeRecord) -> str:
    route, admissible = record.qualification["route"], record.admissible_route
    kind = f'probeClass "{record.probe_class}" with expectedClean {str(record.clean).lower()}'
    if admissible is not None:
        return f'route "{route}" is not one of "{admissible}" for {kind} (AD-9)'
    if not record.clean and not record.sources:
        return (
            f'probeClass "{record.probe_class}" seeds a defect and this probe\'s defects array is empty, so no AD-9 '
            "route has a seeded defect to qualify (AD-9)"
        )
    if len(record.sources) > 1:
        return (
            "the defects array seeds both a natural defect and a controlled mutation, so no single AD-9 route "
            "qualifies this probe (AD-9)"
        )
    return f"{kind} admits no AD-9 route at all, so no qualification record can be written for it (AD-9)"


def _at(
    field: str, breaks: Callable[[ProbeRecord], bool], detail: str | Callable[[ProbeRecord], str]
) -> Callable[[ProbeRecord], Iterable[Breach]]:
    """One breach at a field of the probe."""

    def breaches(record: ProbeRecord) -> Iterable[Breach]:
        if breaks(record):
            yield Breach(f"{record.path}.{field}", detail if isinstance(detail, str) else detail(record))

    return breaches


RECORD_RULES: Final[tuple[Rule[ProbeRecord], ...]] = (
    Rule(
        "qualification-defect-sources-mixed",
        "the probe is neither a clean control nor a `gameability` or `canary` probe, and its defects have two sources",
        _at(
            "defects",
            lambda r: not r.clean and r.probe_class not in _SOURCELESS_CLASSES and len(r.sources) > 1,
            "seeds both a natural defect and a controlled mutation, which no single AD-9 route qualifies (AD-9)",
        ),
    ),
    Rule(
        "qualification-route-incompatible",
        "the route is not the one that the probe's class and the sources of its defects admit",
        _at("qualification.route", lambda r: r.qualification["route"] != r.admissible_route, _incompatible_route),
    ),
    Rule(
        "qualification-evidence-unverified",
        "the route is `historical`, and the oracle was not stable across both revisions",
        _at(
            "qualification.oracleStableAcrossRevisions",
            lambda r: r.denies("historical", "oracleStableAcrossRevisions"),
            "AD-9 qualifies a historical probe only with the oracle stable across both revisions, and this record "
            "states it was not",
        ),
    ),
    Rule(
        "qualification-evidence-unverified",
        "the route is `controlled-mutation`, and rollback was not verified",
        _at(
            "qualification.rollbackVerified",
            lambda r: r.denies("controlled-mutation", "rollbackVerified"),
            "AD-9 qualifies a controlled mutation only with verified rollback or cleanup, and this record states it "
            "was not verified",
        ),
    ),
    Rule(
        "signature-present-on-canary",
        "the probe is a `canary` and has a signature",
        _at(
            "defectSignature",
            lambda r: r.probe_class == "canary" and r.signature is not None,
            "a canary seeds no defect, so it declares no signature; AD-9 qualifies it by demonstrating that "
            "non-detection indicts the corpus or the fixture",
        ),
    ),
    Rule(
        "signature-absent",
        "the probe is neither a clean control nor a `canary`, and has no signature",
        _at(
            "defectSignature",
            lambda r: not r.clean and r.probe_class != "canary" and r.signature is None,
            lambda r: (
                f'probeClass "{r.probe_class}" seeds a defect, and AD-33 assigns an outcome only from a signature '
                "match, so a null signature makes this probe unscoreable (AD-40)"
            ),
        ),
    ),
)
