"""Predicts what PEFT does with an audited adapter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.adapters.absent import GATE
from inspector.adapters.base import WITHOUT_HEAD
from inspector.adapters.config_repairs import repair_of
from inspector.adapters.difference import HALF
from inspector.adapters.expected import PROMPTS
from inspector.adapters.names import PROMPT, PROMPT_TENSORS, is_remade, loaded_name, tuner_name
from inspector.adapters.peft_configs import BY_TASK, names_modules, refusal, refused_for, renames
from inspector.algebra.names import key_of
from inspector.dialects.catalog import has_own_program
from inspector.findings.adapters.labels import AdapterLabels
from inspector.findings.adapters.tools import AdapterTypeUnknown
from inspector.findings.finding import Finding
from inspector.findings.peft_remedies import OLD_OFT
from inspector.loader.loaders import PEFT
from inspector.loading.config_rules import refused_config
from inspector.loading.outcome import COMPLETE
from inspector.loading.peft import AgainstBase, by_llama_cpp, by_ollama, by_vllm, of_adapter
from inspector.loading.tables import NEWEST, has_type, version_of
from inspector.notation.kinds import COUNTER
from inspector.reconciler.config_keys import mistyped

if TYPE_CHECKING:
    from inspector.adapters.explain import AdapterReport
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loading.outcome import Load
    from inspector.matcher.families import Families

APART: Final = ".shira_indices"
"""Ending of tensors that PEFT keeps outside its modules and does not report as missing."""
STARTED: Final = "base_model.tinylora_v."
"""Beginning of trained tensors that PEFT does not report as missing either; it starts them from a seed."""
OF_OLD_OFT: Final = ".oft_r"
"""Ending of the tensors that OFT stored before PEFT 0.14."""
NEWER_OFT: Final = "OFT does not load without oft_block_size"
UNREPORTED: Final = frozenset({"adaption_prompt"})
"""Methods for which PEFT reports no tensor as missing, although missing tensors stay random."""
OF_BLOCKS: Final = frozenset({"shadow"})
"""Methods that may change whole layers; the tensors of these layers are not known here."""
WORDS_AROUND: Final = ".token_adapter.base_layer.weight"
"""Ending of a head that is trained as a whole and tied to a table of which only some rows are trained."""
SHARED_BY_FROD: Final = ("base_model.frod_V.", "base_model.frod_s_indices.", "base_model.frod_s_size.")
"""Beginnings of the projections of FRoD."""
PROJECTED: Final = (".randlora_A", ".randlora_B")
"""Endings of RandLora's projections: one tensor that all modules share."""


OF_ONE_NAME: Final = ".lily_B.weight"
"""Ending of a tensor that all modules of one name share."""
SEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "vera": ("base_model.vera_B",), "pvera": ("base_model.pvera_B",),
}  # fmt: skip
"""Method -> beginnings of projections that PEFT generates again from the seed in the config if they are missing."""


def loads_of_adapter(
    checkpoint: Checkpoint,
    stored: Families,
    named: Callable[[str], str],
    report: AdapterReport,
    findings: Sequence[Finding],
    method: str,
    base: Mapping[str, Any],
) -> tuple[Load, ...]:
    """Predicts what PEFT does with the adapter; empty for a single file that the user named.

    stored: families under their names in the file. named: name in the file -> name that PEFT looks for. base: the
    config of the base, empty without one.
    """
    if not checkpoint.set_name or checkpoint.alone:
        return ()
    files = tuple(file.name for file in checkpoint.files)
    values: Mapping[str, Any] = {} if checkpoint.adapter is None else checkpoint.adapter.values
    refused = refused_config(base) if base else None
    because = next(_mistyped(base), "") if refused is None else refused.because
    because = because or _without_type(base)
    problem = f"the config of the base: {because}" if because else _problem(checkpoint, findings)
    problem = problem or refusal(values, base.get("model_type")) or refused_for(values, base)
    problem = NEWER_OFT if problem == OLD_OFT and not any(key.endswith(OF_OLD_OFT) for key in stored) else problem
    problem = problem or _without_projection(stored, values, method) or _without_rank(stored, values)
    if not problem and report.values and not names_modules(report.values):
        problem = "target_modules names no module, and PEFT has none for this base"
    stated, renaming = values, renames(values, base.get("model_type"))
    values = report.values or values
    load = of_adapter(
        files, problem, None if problem else _against_base(stored, named, report, values, method, renaming)
    )
    if problem and not because:
        repair = repair_of(stated, base)
        load = load if repair is None else replace(load, keys=repair.keys)
    elif because:
        load = replace(load, keys=refused.keys if refused is not None else ())
    labels = next((one.labels for one in findings if isinstance(one, AdapterLabels)), None)
    if labels is not None and load.outcome == COMPLETE:
        load = replace(load, because=f"with a base of {labels} labels (num_labels={labels}); it refuses any other")
    elif load.outcome == COMPLETE and (lacking := _without_head(stored, values)):
        load = replace(load, because=lacking)
    if problem:
        return (load,)
    return (  # a base that does not fit changes nothing about the names that others read
        load,
        *by_vllm(stated, checkpoint.tensors, files),
        *by_llama_cpp(stated, checkpoint.tensors, load),
        *by_ollama(stated, base.get("model_type"), load),
    )


def _without_head(stored: Families, values: Mapping[str, Any]) -> str:
    """The class of the base with which PEFT raises KeyError (measured with 0.21): that of the task in the adapter's
    config, as its head is not stored; "" if it is stored, or if the task has none.
    """
    heads = tuple(f".{module}." for module in values.get(BY_TASK, ()))
    if not heads or any(head in key for key in stored for head in heads):
        return ""
    names = " or ".join(head.strip(".") for head in heads)
    return f"with a base without a head for {values['task_type']}; with one it raises KeyError, as no {names} is stored"


def _without_type(base: Mapping[str, Any]) -> str:
    """Why transformers does not find a class for a base of its own by the config; "" if it does."""
    kind = base.get("model_type")
    if "architectures" not in base:
        return ""
    if not isinstance(kind, str) or not kind:
        return "it has no model_type"
    known = has_type(kind, NEWEST) or "auto_map" in base or has_own_program(kind)
    return "" if known else f"transformers {version_of(NEWEST)} has no model type {kind}"


def _mistyped(base: Mapping[str, Any]) -> Iterator[str]:
    """Values of the base's config of a type that its class does not declare: no base is built with them."""
    for one in mistyped(base):
        yield f"{'.'.join(one.path)} is not {one.wanted}"


def _problem(checkpoint: Checkpoint, findings: Sequence[Finding]) -> str:
    if not PEFT.finds(checkpoint.set_name):
        return f"no file is named {' or '.join(PEFT.files)}"
    if checkpoint.adapter is None:
        return f"there is no {PEFT.config}"
    if any(isinstance(one, AdapterTypeUnknown) for one in findings):
        return f"{PEFT.config} names no peft_type that it knows"
    return next((one.unread for one in findings if one.closes_file), "")


def _without_projection(stored: Families, values: Mapping[str, Any], method: str) -> str:
    """The reason for which PEFT raises if the config says that projections are saved: VeRA's first projection is
    missing, or every projection of FRoD; "" otherwise.
    """
    if not values.get("save_projection", True):
        return ""
    if method == "frod":
        some = any(key.startswith(SHARED_BY_FROD) for key in stored)
        return "" if some else f"no projection is stored, such as {SHARED_BY_FROD[0]}"
    wanted = [f"base_model.{method}_A"] if method in ("vera", "pvera") else []
    absent = [name for name in wanted if name not in {loaded_name(key) for key in stored}]
    return f"{absent[0]} is missing" if absent else ""


def _without_rank(stored: Families, values: Mapping[str, Any]) -> str:
    """The problem of a GLoRA adapter that has low-rank matrices for the biases of the base but states no rank; ""
    without this problem.
    """
    biased = any(".glora_C.Xd" in key for key in stored)
    return "GLORA does not load with r null" if biased and values.get("r", 8) is None else ""


def _against_base(
    stored: Families,
    named: Callable[[str], str],
    report: AdapterReport,
    values: Mapping[str, Any],
    method: str,
    renaming: bool,
) -> AgainstBase | None:
    """Compares the adapter with its base by the names that PEFT uses: a tensor under another name is unexpected, and
    the place it should fill stays random.

    None if the base was not read, if defaults of its type decide what is changed, or if the targets are not matrices.
    """
    found, prompt = report.difference, method in PROMPTS
    if found is not None and not found.tuned and method in OF_BLOCKS:
        return None
    if found is None or not (prompt or found.tuned or found.unchangeable or values.get("target_modules")):
        return None
    if method in UNREPORTED and not found.modules and not found.unchangeable:
        return None
    renamed = _renamed(stored, named, report, found.strange, renaming)
    trained = values.get("modules_to_save") or ()
    lost = {key: one for key, one in renamed.items() if tuner_name(key) or key in found.whole}
    absent = {**dict(found.absent), **lost}
    mismatched = [one for one in found.mismatched if one[0] not in renamed and not _takes_any_shape(one[0], method)]
    if values.get("bias", "none") != "none":  # a bias of the base is trained in place, and kept where it is missing
        absent = {name: tensors for name, tensors in absent.items() if not _in_place(name, trained)}
    absent = {name: tensors for name, tensors in absent.items() if not _is_made_again(name, method)}
    absent = {name: tensors for name, tensors in absent.items() if not name.endswith((GATE, COUNTER))}
    unexpected = (
        found.unexpected + sum(renamed.values()) + (sum(key in PROMPT_TENSORS for key in stored) if prompt else 0)
    )
    shared = _loaded_elsewhere(absent, frozenset(loaded_name(key, renaming) for key in stored))
    within = {name for name in absent if f"{name.removesuffix('.weight')}{WORDS_AROUND}" in stored}
    remade = {name: tensors for name, tensors in absent.items() if is_remade(name) and name not in shared}
    aside = {*shared, *within, *remade}
    absent = {name: tensors for name, tensors in absent.items() if name not in aside}
    unexpected -= sum(f"{name.removesuffix('.weight')}{WORDS_AROUND}" in found.strange for name in within)
    counted = {} if method in UNREPORTED else absent
    return AgainstBase(
        missing=sum(
            tensors for name, tensors in counted.items() if not (_is_unreported(name) or name in PROMPT_TENSORS)
        ),
        aliases=found.modules if method == "vblora" else sum((*shared.values(), *remade.values(), found.regenerated)),
        unexpected=unexpected,
        mismatched=sum(tensors for *_, tensors in mismatched),
        first_missing=next(iter(absent), ""),
        first_mismatched=mismatched[0][1] if mismatched else "",
        whole=next(filter(_is_whole, absent), ""),
        tuned=found.tuned or prompt or bool(found.unchangeable),
        apart=found.apart,
        unchangeable=found.unchangeable,
        approximated=method == "lora" and str(values.get("init_lora_weights")).startswith("pissa_niter"),
        **({"asked": f"task_type {WITHOUT_HEAD} asks for"} if values.get("task_type") == WITHOUT_HEAD else {}),
    )


def _renamed(
    stored: Families, named: Callable[[str], str], report: AdapterReport, strange: frozenset[str], renaming: bool
) -> Counter[str]:
    """The names for which PEFT looks and that no tensor has, as it renames the stored ones, and their tensors."""
    renamed: Counter[str] = Counter()
    for key, family in stored.items():
        looked_for, other = named(key), loaded_name(key, renaming)
        if looked_for.endswith(HALF) and looked_for not in strange:
            continue  # PEFT joins it with the other one, whatever the name
        if looked_for in report.unreached or (other != looked_for and looked_for not in strange):
            renamed[looked_for] += family.tensors
    return renamed


def _in_place(name: str, trained: Sequence[str]) -> bool:
    """True if a tensor is a bias of the base in a module that was not saved as a trained copy."""
    return name.endswith(".bias") and tuner_name(name) is None and not set(name.split(".")[:-1]).intersection(trained)


def _takes_any_shape(key: str, method: str) -> bool:
    """True if PEFT replaces the parameter in memory when the stored one has another shape."""
    return method == "adamss" and ".adamss_" in key


def _is_made_again(name: str, method: str) -> bool:
    """True if PEFT generates a tensor from a number in the config and never reports it as missing."""
    return method in SEEDED and name.startswith(SEEDED[method])


def _is_unreported(name: str) -> bool:
    """True if PEFT does not report a tensor as missing, whatever it puts in its place."""
    return name.endswith(APART) or name.startswith(STARTED)


def _loaded_elsewhere(absent: Mapping[str, int], names: frozenset[str]) -> dict[str, int]:
    """The tensors missing under one name but loaded under another: one tensor that all modules, or all modules of one
    name, share.
    """
    ends = [end for end in PROJECTED if any(name.endswith(end) for name in names)]
    return {
        name: tensors
        for name, tensors in absent.items()
        if name.endswith(tuple(ends)) or (name.endswith(OF_ONE_NAME) and not names.isdisjoint((name, key_of(name)[0])))
    }


def _is_whole(name: str) -> bool:
    """True if a tensor replaces weights of the base, or is the prompt, which PEFT loads without any other tensor."""
    if _is_unreported(name):
        return False
    return name == PROMPT or ".token_adapter." in name or (tuner_name(name) is None and name not in PROMPT_TENSORS)
