"""A section's chart: its description now, and its picture when a page asks for it."""

from functools import partial

from markupsafe import Markup

from callbench.report.charts.palette import Spec
from callbench.report.text.section import Chart


def chart(  # noqa: PLR0913, PLR0917 - what a chart is made of
    id_: str, title: str, about: str, spec: Spec | None, source: str, small_spec: Spec | None = None
) -> Chart | None:
    """Make a section's chart if there is something to draw.

    Args:
        id_: its anchor on the page.
        title: what it is called.
        about: what it shows and how to read it.
        spec: its description, or None.
        source: the query that its values come from.
        small_spec: as for `to_svg`.
    """
    if spec is None:
        return None
    slug = "".join(char if char.isalnum() or char in "-_" else "-" for char in id_)
    return Chart(slug, title, about, partial(_drawn, spec, title, small_spec), source.strip(), spec=spec)


def _drawn(spec: Spec, label: str, small_spec: Spec | None) -> Markup:
    # A terminal shows no charts, and does not load what draws them.
    from callbench.report.charts.draw import to_svg

    return to_svg(spec, label, small_spec)
