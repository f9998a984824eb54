"""A target's variant is what the grammar says of the other tree."""

from __future__ import annotations

from collections import Counter

import pytest
from nltk.tree import Tree

from pipeline.partition import syntactic_partition
from pipeline.sample import SamplePair, generate

DEEPEST = 12


@pytest.fixture(scope="module")
def pairs() -> list[SamplePair]:
    return list(generate(1000, "attachments", ambiguity=1.0))


@pytest.mark.parametrize(
    ("source", "tree", "target", "category", "variant", "depth"),
    [
        (
            "She drank their good wine in the museums.",
            "(ROOT (S (NP (PRP She)) (VP (VBD drank) (NP (NP (PRP$ their) (JJ good) (NN wine)) "
            "(PP (IN in) (NP (DT the) (NNS museums))))) (. .)))",
            "Sie trank ihren guten Wein in den Museen.",
            "noun",
            "Sie trank in den Museen ihren guten Wein.",
            2,
        ),
        (  # a receiver, which the place passes too, and a prefix
            "We offer this dancer every banana in the city.",
            "(ROOT (S (NP (PRP We)) (VP (VBP offer) (NP (DT this) (NN dancer)) "
            "(NP (NP (DT every) (NN banana)) (PP (IN in) (NP (DT the) (NN city))))) (. .)))",
            "Wir bieten diesem Tänzer jede Banane in der Stadt an.",
            "noun",
            "Wir bieten in der Stadt diesem Tänzer jede Banane an.",
            2,
        ),
        (  # a modal, a phrase more deep
            "She can repair the slow ovens under the carpets.",
            "(ROOT (S (NP (PRP She)) (VP (MD can) (VP (VB repair) (NP (DT the) (JJ slow) "
            "(NNS ovens)) (PP (IN under) (NP (DT the) (NNS carpets))))) (. .)))",
            "Sie kann unter den Teppichen die langsamen Öfen reparieren.",
            "verb",
            "Sie kann die langsamen Öfen unter den Teppichen reparieren.",
            3,
        ),
        (  # something in front, the subject behind the verb
            "Last month, Anna tested every engine on the squares.",
            "(ROOT (S (NP (JJ Last) (NN month)) (, ,) (NP (NNP Anna)) (VP (VBD tested) "
            "(NP (DT every) (NN engine)) (PP (IN on) (NP (DT the) (NNS squares)))) (. .)))",
            "Letzten Monat testete Anna auf den Plätzen jeden Motor.",
            "verb",
            "Letzten Monat testete Anna jeden Motor auf den Plätzen.",
            2,
        ),
        (  # a time after it, which German has before both
            "I will borrow his carriage beside the sleds on Wednesday.",
            "(ROOT (S (NP (PRP I)) (VP (MD will) (VP (VB borrow) (NP (NP (PRP$ his) "
            "(NN carriage)) (PP (IN beside) (NP (DT the) (NNS sleds)))) "
            "(PP (IN on) (NP (NNP Wednesday))))) (. .)))",
            "Ich werde am Mittwoch seine Kutsche neben den Schlitten ausleihen.",
            "noun",
            "Ich werde am Mittwoch neben den Schlitten seine Kutsche ausleihen.",
            3,
        ),
    ],
)
def test_the_object_and_the_place_change_places(
    pairs: list[SamplePair],
    source: str,
    tree: str,
    target: str,
    category: str,
    variant: str,
    depth: int,
) -> None:
    (pair,) = (pair for pair in pairs if pair.source == source)
    assert (pair.tree, pair.target) == (tree, target)
    assert pair.variants == [(category, variant, depth)]


def test_the_level_is_the_first_that_tells_the_other_tree(pairs: list[SamplePair]) -> None:
    seen: Counter[int] = Counter()
    for pair in pairs:
        for variant in pair.variants:
            other = misread(pair.tree, variant.category, variant.depth)
            both = (syntactic_partition(tree, DEEPEST) for tree in (pair.tree, other))
            differ = [right != wrong for right, wrong in zip(*both, strict=True)]
            assert differ.index(True) + 1 == variant.depth
            seen[variant.depth] += 1
    assert {2, 3} <= set(seen)


def misread(tree: str, category: str, depth: int) -> Tree:
    """The tree with object and place of the main verb joined, or taken apart (`noun`)."""
    root = Tree.fromstring(tree)
    phrase = root[0]
    for _ in range(depth - 1):  # S, VP, and of `had to` VP, S, VP
        (phrase,) = (c for c in phrase if c.label() in ("S", "VP"))
    labels = [[c.label(), [g.label() for g in c if isinstance(g, Tree)]] for c in phrase]
    if category == "noun":
        position = labels.index(["NP", ["NP", "PP"]])
        phrase[position : position + 1] = list(phrase[position])
    else:
        position = [label for label, _ in labels].index("PP")
        phrase[position - 1 : position + 1] = [Tree("NP", phrase[position - 1 : position + 1])]
    return root


@pytest.mark.parametrize(
    "source",
    [
        "A deer hears them under eight oaks.",
        "The carpenter praises Teresa beside this white mirror.",
        "No woman saw the stupid professor and Vera beside the birch.",
        "Who loved the doctor under the chair?",  # nouns of questions have no attributes
        "Julia will not paint the unknown painting beside the firs.",  # the order is the same
        "The secretary repaired a chair under our tree under this chair.",  # one each
        "I hated the baker and found a pig on the chair.",  # nor have nouns of two predicates
    ],
)
def test_where_there_is_one_reading_there_is_no_variant(
    pairs: list[SamplePair], source: str
) -> None:
    (pair,) = (pair for pair in pairs if pair.source == source)
    assert pair.variants == []


def test_a_place_whose_noun_tells_what_it_belongs_to_has_a_variant_too() -> None:
    pairs = generate(300, "attachments", ambiguity=0.0)
    assert {variant.category for pair in pairs for variant in pair.variants} == {"noun", "verb"}
