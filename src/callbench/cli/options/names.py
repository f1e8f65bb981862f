"""Names that a shell completes: of stacks, studies and links."""


def stacks() -> list[str]:
    """Every stack that can be measured, mixed ones among them."""
    from callbench.catalog import catalogue

    return [stack.id for stack in catalogue.load().every]


def studies() -> list[str]:
    """Every study that comes with Callbench."""
    from callbench.catalog import study

    return list(study.names())


def links() -> list[str]:
    """Every link that comes with Callbench."""
    from callbench.catalog.links import profile

    return list(profile.builtin_links())
