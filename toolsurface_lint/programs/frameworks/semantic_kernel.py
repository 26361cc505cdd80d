"""Semantic Kernel: `@kernel_function`, of plugins whose names the model sees before those of their functions."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Instance, Items, describe, is_none


def _agent(maker: ToolMaker, function: External, call: Call) -> None:
    """`ChatCompletionAgent(plugins=[Accounts()])`: the agent has the functions of the classes of its plugins."""
    given = call.value("plugins")
    if function.root not in FRAMEWORK.packages or given is None or is_none(given):
        return
    agent = maker.registry.agent_at(function.path, call)
    for plugin in given.items if isinstance(given, Items) else [given]:
        if not isinstance(plugin, Instance) or plugin.cls is None:
            maker.registry.add_reason(f"the functions of a plugin that is {describe(plugin)}", *call.at, agent)
            continue
        classes = plugin.cls.lineage()
        maker.registry.evaluator.spend(len(maker.registry.registrations))
        for each in maker.registry.registrations.values():
            if each.function is not None and each.function.owner in classes:
                agent.given.append(each)
                agent.built_in.add(f"{plugin.cls.name}-{each.name.value}")
    if isinstance(given, Items) and not given.complete:
        maker.registry.add_reason(f"the functions of {given.missing}", *call.at, agent)


FRAMEWORK = Framework(
    "python-semantic-kernel",
    packages={"semantic_kernel": ("Kernel", "kernel_function")},
    signs=("kernel_function",),
    decorators=("kernel_function",),
    named_by="name",
    calls=dict.fromkeys(
        ("ChatCompletionAgent", "OpenAIAssistantAgent", "OpenAIResponsesAgent", "AzureAIAgent"), _agent
    ),
    text_metadata=True,
)
