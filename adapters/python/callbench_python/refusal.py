"""What is answered with `error`."""


class Refusal(Exception):  # noqa: N818 - what the adapter answers
    """A kind of the contract, and one sentence that a person can act on."""

    def __init__(self, kind: str, sentence: str) -> None:
        """Keep the kind beside the sentence."""
        super().__init__(sentence)
        self.kind = kind


def bad(sentence: str) -> Refusal:
    """A request that is not as the contract has it."""
    return Refusal("bad-request", sentence)
