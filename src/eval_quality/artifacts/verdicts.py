"""Verdict vocabularies (spec 01, section 12)."""

from typing import Annotated, Final, Literal, get_args

from .constraints import Definition

VerdictName = Literal["PASS", "WAIVED", "CONCERNS", "FAIL"]
RecommendationName = Literal["PASS", "CONCERNS", "FAIL"]
Verdict = Annotated[VerdictName, Definition("Verdict")]
EvaluatorRecommendation = Annotated[RecommendationName, Definition("EvaluatorRecommendation")]

VERDICTS: Final[tuple[VerdictName, ...]] = get_args(VerdictName)
EVALUATOR_RECOMMENDATIONS: Final[tuple[RecommendationName, ...]] = get_args(RecommendationName)
