"""Numbers for people."""

from __future__ import annotations

from collections.abc import Callable


class Number(str):
    """A formatted number: it stands at the right of its column."""


def plain(value: float | None) -> Number:
    """A number as people write it: `10,000`, `0.5`; nothing for none."""
    if value is None:
        return Number("")
    return Number(f"{value:,.0f}" if value == int(value) else f"{value:,.4g}")


def fixed(value: float | None, digits: int = 2) -> Number:
    """A number with so many decimal places; nothing for none."""
    return Number("" if value is None else f"{value:,.{digits}f}")


def percent(share: float) -> Number:
    """A share of 1 in per cent."""
    return Number(f"{100 * share:.1f}%")


def signed(value: float | None) -> Number:
    """A difference, with its sign: minus, not hyphen; nothing for none."""
    return Number("" if value is None else f"{value:+.2f}".replace("-", "−"))


def counted(number: int, noun: str) -> str:
    """A number of things: `1 value`, `2 values`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def p_value(value: float | None) -> Number:
    """A probability; sacreBLEU's smallest is one over the resamples."""
    return Number("" if value is None else f"{value:.3f}" if value >= 0.001 else "< 0.001")


def interval(
    low: float | None, high: float | None, shown: Callable[[float], str] = fixed
) -> Number:
    """The ends of an interval, if there is one."""
    return Number("" if low is None or high is None else f"{shown(low)} to {shown(high)}")


def duration(seconds: float) -> Number:
    """`2 h 5 min`, `5 min 3 s` or `4.2 s`."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes >= 60:
        return Number(f"{minutes // 60} h {minutes % 60} min")
    return Number(f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s")
