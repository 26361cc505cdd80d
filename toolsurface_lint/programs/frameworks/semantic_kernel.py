"""Semantic Kernel: `@kernel_function`, of plugins whose names the model sees before those of their functions."""

from toolsurface_lint.programs.framework import Framework

FRAMEWORK = Framework(
    "python-semantic-kernel",
    packages={"semantic_kernel": ("Kernel", "kernel_function")},
    signs=("kernel_function",),
    decorators=("kernel_function",),
    text_metadata=True,
)
