"""Stanza's shift-reduce parser, many sentences in step: the same trees in less time.

Stanza keeps each state of its stacks' LSTMs in tensors of its own, and stacks and slices them at
every transition. Here they are rows of one tensor. Models, transitions, and which of these are
legal remain stanza's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

if TYPE_CHECKING:
    from stanza.models.constituency.lstm_model import LSTMModel
    from stanza.models.constituency.lstm_tree_stack import LSTMTreeStack
    from stanza.models.constituency.parse_transitions import Transition
    from stanza.models.constituency.parse_tree import Tree
    from stanza.models.constituency.state import State
    from stanza.models.constituency.tree_stack import TreeStack

BATCH_SENTENCES = 32
"""Sentences whose trees are built in step. More are no faster on a CPU."""
MAX_TRANSITIONS = 20
"""Per word, as in stanza: a model that makes more is taken to go on for ever."""


class _Entry(NamedTuple):
    """An entry of a stack; stanza's transitions read `value`."""

    value: Any
    row: int  #: of the LSTM's states.


class _Stacks:
    """The stacks of one kind of all sentences, and the LSTM that reads each from the bottom."""

    def __init__(self, stack: LSTMTreeStack, bottom: Any, capacity: int) -> None:
        from stanza.models.constituency.tree_stack import TreeStack

        self.bottom = TreeStack(_Entry(bottom, 0), None, 1)
        self._lstm = stack.lstm
        start = stack.initial_state().value
        self._states = torch.stack((start.lstm_hx, start.lstm_cx)).unsqueeze(2)
        self._rows = 1
        self._reserve(capacity)

    def push(
        self, stacks: Sequence[TreeStack], values: Sequence[Any], inputs: torch.Tensor
    ) -> list[TreeStack]:
        """`stacks` with one value more each, whose vectors are `inputs`, (stacks, features)."""
        before = self._states.index_select(2, self._rows_of(stacks))
        _, after = self._lstm(inputs.unsqueeze(0), (before[0], before[1]))
        first, self._rows = self._rows, self._rows + len(stacks)
        self._reserve(self._rows)
        for kept, new in zip(self._states, after, strict=True):
            kept[:, first : self._rows] = new
        pairs = zip(stacks, values, strict=True)
        return [s.push(_Entry(value, row)) for row, (s, value) in enumerate(pairs, start=first)]

    def outputs(self, stacks: Sequence[TreeStack]) -> torch.Tensor:
        """The LSTM's output at the top of each stack, (stacks, features)."""
        return self._states[0, -1].index_select(0, self._rows_of(stacks))

    def _rows_of(self, stacks: Sequence[TreeStack]) -> torch.Tensor:
        return torch.tensor([stack.value.row for stack in stacks], device=self._states.device)

    def _reserve(self, rows: int) -> None:
        """Make room for so many states, (hidden or cell, layer, row, feature)."""
        if rows > (old := self._states).shape[2]:
            self._states = old.new_empty(*old.shape[:2], 2 * rows, old.shape[3])
            self._states[:, :, : old.shape[2]] = old


def parse_tagged(model: LSTMModel, sentences: Sequence[Sequence[tuple[str, str]]]) -> list[Tree]:
    """The tree of each sentence of words and tags, as `model.parse_tagged_words` finds it.

    Raises:
        ValueError: no transition is legal, or there is no tree after `MAX_TRANSITIONS` a word.
    """
    from stanza.models.constituency.lstm_tree_stack import LSTMTreeStack

    stacks = getattr(model, "transition_stack", None), getattr(model, "constituent_stack", None)
    if not all(isinstance(stack, LSTMTreeStack) for stack in stacks):  # ensembles, Transformers
        trees: list[Tree] = model.parse_tagged_words(sentences, BATCH_SENTENCES)
        return trees
    found: dict[int, Tree] = {}
    with torch.inference_mode():
        capacity = 4 * sum(map(len, sentences))
        transitions = _Stacks(model.transition_stack, None, capacity)
        constituents = _Stacks(
            model.constituent_stack, model.initial_constituents().value.value, capacity
        )
        bottoms = {"transitions": transitions.bottom, "constituents": constituents.bottom}
        states = {
            number: state._replace(**bottoms)
            for number, state in enumerate(model.initial_state_from_words(sentences))
        }
        while states:
            numbers = list(states)[:BATCH_SENTENCES]
            batch = [states[number] for number in numbers]
            after = _step(model, batch, transitions, constituents)
            for number, state in zip(numbers, after, strict=True):
                states[number] = state
                if state.finished(model):
                    found[number] = states.pop(number).get_tree(model)
    in_order = [found[number] for number in range(len(sentences))]
    return [tree.reverse() for tree in in_order] if model.reverse_sentence else in_order


def _step(
    model: LSTMModel, states: Sequence[State], transitions: _Stacks, constituents: _Stacks
) -> list[State]:
    """The states after the best legal transition of each."""
    features = (
        torch.stack([state.get_word(state.word_position).hx for state in states]),
        transitions.outputs([state.transitions for state in states]),
        constituents.outputs([state.constituents for state in states]),
    )
    logits = torch.cat(features, dim=1)
    for layer in model.output_layers:
        logits = layer(logits if model.maxout_k else model.nonlinearity(logits))
    rows = zip(states, logits.argmax(dim=1).tolist(), logits, strict=True)
    chosen = [_legal(model, state, best, row) for state, best, row in rows]

    updates = [t.update_state(state, model) for state, t in zip(states, chosen, strict=True)]
    words, below, pushed, builders = (list(column) for column in zip(*updates, strict=True))
    places: dict[Any, list[int]] = defaultdict(list)
    for place, builder in enumerate(builders):
        if builder is not None:
            places[builder].append(place)
    for builder, of_builder in places.items():
        built = builder.build_constituents(model, [pushed[place] for place in of_builder])
        for place, constituent in zip(of_builder, built, strict=True):
            pushed[place] = constituent

    device = logits.device
    indices = torch.tensor([model.transition_map[t] for t in chosen], device=device)
    transition_stacks = transitions.push(
        [state.transitions for state in states], chosen, model.transition_embedding(indices)
    )
    constituent_stacks = constituents.push(
        below, pushed, torch.stack([constituent.tree_hx[-1] for constituent in pushed])
    )
    return [
        state._replace(
            num_opens=state.num_opens + transition.delta_opens(),
            word_position=word,
            transitions=transition_stack,
            constituents=constituent_stack,
        )
        for state, transition, word, transition_stack, constituent_stack in zip(
            states, chosen, words, transition_stacks, constituent_stacks, strict=True
        )
    ]


def _legal(model: LSTMModel, state: State, best: int, logits: torch.Tensor) -> Transition:
    """The legal transition with the largest logit, which mostly is the `best` of all."""
    if state.num_transitions >= MAX_TRANSITIONS * len(state.word_queue):
        raise ValueError(f"no tree after {state.num_transitions} transitions")
    if model.transitions[best].is_legal(state, model):
        return model.transitions[best]
    for index in logits.argsort(descending=True).tolist():
        if model.transitions[index].is_legal(state, model):
            return model.transitions[index]
    raise ValueError(f"no legal transition after {state.num_transitions}")
