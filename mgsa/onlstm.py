"""ON-LSTM (Shen et al. 2019, Ordered Neurons, section 4): an LSTM with master gates.

    f̃ = cumax(·)         master forget gate        ĩ = 1 − cumax(·)     master input gate
    ω = f̃ ĩ              their overlap
    f̂ = f ω + (f̃ − ω)                              î = i ω + (ĩ − ω)
    c = f̂ c' + î ĉ                                 h = o tanh(c)

f, i, o, ĉ are the gates and the candidate of an LSTM; cumax is the cumulative sum of a softmax over
chunks of hidden units, which share their master gates.

The independent ON-LSTMs of MG-SA's G granularities run as one batch of matrices, since a step of
one is too small to occupy a processor.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from mgsa.masks import padding_mask
from mgsa.operators import Linear, linear


class ONLSTM(nn.Module):
    """ON-LSTM over sequences.

    Rows of both projections, as in the authors' code: master input gate, master forget gate (a row
    a chunk), then output gate, cell, input gate, forget gate (a row a hidden unit).
    """

    def __init__(self, input_size: int, hidden_size: int, chunk_size: int) -> None:
        super().__init__()
        if hidden_size % chunk_size:
            raise ValueError(
                f"chunk_size: expected a divisor of hidden_size ({hidden_size}), got {chunk_size}"
            )
        self.hidden_size = hidden_size
        self.num_chunks = hidden_size // chunk_size
        rows = 2 * self.num_chunks + 4 * hidden_size
        self.input_projection = Linear(input_size, rows)
        self.recurrent_projection = Linear(hidden_size, rows)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, D), lengths (B,) to hidden states (B, T, H), zeros after a sequence's end."""
        return run_batched([self], [x], [lengths])[0]


def run_batched(
    layers: Sequence[ONLSTM], inputs: Sequence[Tensor], lengths: Sequence[Tensor]
) -> list[Tensor]:
    """Hidden states (B, T_g, H) of several equally large layers, computed in one loop.

    Layer g reads x (B, T_g, D) of `inputs` and (B,) of `lengths`; states after a sequence's end are
    zeros.
    """
    steps = [x.shape[1] for x in inputs]
    # Longest first, so that the layers still running at a step are a prefix.
    order = sorted(range(len(layers)), key=lambda g: -steps[g])
    running = [sum(t < n for n in steps) for t in range(max(steps))]
    positions = [(t, g) for t, count in enumerate(running) for g in order[:count]]
    gates = []
    for layer, x in zip(layers, inputs, strict=True):
        bias = layer.input_projection.bias + layer.recurrent_projection.bias
        gates.append(linear(x, layer.input_projection.weight, bias).unbind(1))
    weight = torch.stack([layers[g].recurrent_projection.weight for g in order])
    with torch.autocast(weight.device.type, enabled=False):
        # Sums over many positions stay in the precision of the weights.
        stacked = torch.stack([gates[g][t] for t, g in positions]).to(weight.dtype)
        hidden = _Recurrence.apply(stacked, weight, layers[0].num_chunks, running)
    states: list[list[Tensor]] = [[] for _ in layers]
    for (_, g), state in zip(positions, hidden.unbind(0), strict=True):
        states[g].append(state)
    return [
        torch.stack(own, dim=1) * padding_mask(length, len(own))[:, 0, 0, :, None]
        for own, length in zip(states, lengths, strict=True)
    ]


class _Recurrence(torch.autograd.Function):
    """The loop over positions, with its gradient written out.

    Factors of the gradient that the forward pass decides are computed for all steps at once, which
    leaves the backward loop a third of autograd's operations. Tensors have N rows, one for each
    layer still running at each step, step by step.
    """

    apply: ClassVar[Callable[..., Tensor]]

    @staticmethod
    def forward(
        ctx: Any, gates: Tensor, weight: Tensor, num_chunks: int, running: list[int]
    ) -> Tensor:
        """Hidden states (N, B, H).

        Args:
            gates: (N, B, rows of the projections) the input's part of each gate.
            weight: (G, rows of the projections, H) of the recurrence.
            running: number of layers still running at each step.
        """
        N, B, _ = gates.shape
        G, _, H = weight.shape
        n = num_chunks
        shares = gates.new_empty(N, B, 2, n)  # softmax of the master input and forget gate
        activated = gates.new_empty(N, B, 4, H)  # output gate, candidate, input, forget gate
        kept, written = gates.new_empty(2, N, B, H)  # f̂ and î
        # Initial states come first.
        cell, hidden = gates.new_empty(2, G + N, B, H)
        cell[:G], hidden[:G] = 0, 0
        transposed = weight.transpose(1, 2)
        for before, now, after in _steps(running, G):
            g = now.stop - now.start
            total = torch.baddbmm(gates[now], hidden[before], transposed[:g])
            torch.softmax(total[..., : 2 * n].unflatten(-1, (2, n)), dim=-1, out=shares[now])
            torch.sigmoid(total[..., 2 * n :].unflatten(-1, (4, H)), out=activated[now])
            torch.tanh(total[..., 2 * n + H : 2 * n + 2 * H], out=activated[now, :, 1])
            i_master, f_master = _master_gates(shares[now])
            overlap = i_master * f_master
            i, f = activated[now, :, 2:].unflatten(-1, (n, -1)).unbind(2)
            keep, write = (x[now].unflatten(-1, (n, -1)) for x in (kept, written))
            torch.addcmul(f_master - overlap, f, overlap, out=keep)
            torch.addcmul(i_master - overlap, i, overlap, out=write)
            torch.mul(kept[now], cell[before], out=cell[after])
            cell[after].addcmul_(written[now], activated[now, :, 1])
            torch.mul(activated[now, :, 0], cell[after].tanh(), out=hidden[after])
        ctx.save_for_backward(weight, shares, activated, kept, written, cell, hidden)
        ctx.running = running
        states: Tensor = hidden[G:]
        return states

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        weight, shares, activated, kept, written, cell, hidden = ctx.saved_tensors
        (G, rows, H), n = weight.shape, shares.shape[-1]
        steps = _steps(ctx.running, G)
        cell_before = torch.cat([cell[before] for before, _, _ in steps])
        h_to_c, h_to_o, c_to_logits, c_to_masters = _factors(
            shares, activated, written, cell_before, cell[G:]
        )
        # A share enters the cumulative sums of its own and all later chunks.
        chunk = torch.arange(H, device=grad.device) // (H // n)
        to_shares = (chunk[:, None] >= torch.arange(n, device=grad.device)).to(grad.dtype)

        grad_gates = torch.empty(*grad.shape[:2], rows, dtype=grad.dtype, device=grad.device)
        grad_cell = grad.new_zeros(G, *grad.shape[1:])
        grad_hidden = torch.cat([torch.zeros_like(grad_cell), grad])
        for before, now, after in reversed(steps):
            g = now.stop - now.start
            d_gates, d_c, d_h = grad_gates[now], grad_cell[:g], grad_hidden[after]
            d_c.addcmul_(d_h, h_to_c[now])
            torch.mul(d_h, h_to_o[now], out=d_gates[..., 2 * n : 2 * n + H])
            d_logits = d_gates[..., 2 * n + H :].unflatten(-1, (3, H))
            torch.mul(d_c[:, :, None], c_to_logits[now], out=d_logits)
            d_shares = (d_c[:, :, None] * c_to_masters[now]) @ to_shares  # (g, B, 2, n)
            d_shares -= (d_shares * shares[now]).sum(dim=-1, keepdim=True)
            torch.mul(d_shares, shares[now], out=d_gates[..., : 2 * n].unflatten(-1, (2, n)))
            d_c.mul_(kept[now])
            grad_hidden[before].baddbmm_(d_gates, weight[:g])
        grad_weight = torch.empty_like(weight)
        for g in range(G):
            own = [(before.start + g, now.start + g) for before, now, _ in steps]
            own = own[: sum(layers > g for layers in ctx.running)]
            d_gates = torch.cat([grad_gates[row] for _, row in own])
            states = torch.cat([hidden[row] for row, _ in own])
            torch.mm(d_gates.T, states, out=grad_weight[g])
        return grad_gates, grad_weight, None, None


def _steps(running: Sequence[int], num_layers: int) -> list[tuple[slice, slice, slice]]:
    """For each step the rows of: the states before it, its gates, the states after it.

    The first `num_layers` rows of states are the initial ones.
    """
    steps = []
    start, before = 0, 0
    for g in running:
        after = num_layers + start
        steps.append((slice(before, before + g), slice(start, start + g), slice(after, after + g)))
        start, before = start + g, after
    return steps


def _master_gates(shares: Tensor) -> tuple[Tensor, Tensor]:
    """Shares (N, B, 2, chunks) to the master gates ĩ and f̃, (N, B, chunks, 1)."""
    master_input, master_forget = shares.cumsum(dim=-1)[..., None].unbind(2)
    return 1 - master_input, master_forget


def _factors(
    shares: Tensor, activated: Tensor, written: Tensor, cell_before: Tensor, cell: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The factors of the gradients through a step, for all steps at once.

    (N, B, H) from h to c and from h to o's logit; (N, B, 3, H) from c to the logits of ĉ, i, f;
    (N, B, 2, H) from c to the cumulative sums of the master input and forget gate.
    """
    o, c_hat, i, f = activated.unbind(2)
    tanh_c = cell.tanh()
    h_to_c = o * (1 - tanh_c**2)
    h_to_o = tanh_c * o * (1 - o)

    chunks = (shares.shape[-1], -1)
    i_master, f_master = _master_gates(shares)
    unwritten, forgotten = c_hat * (1 - i), cell_before * (1 - f)
    both = (unwritten + forgotten).unflatten(-1, chunks)
    c_to_logits = torch.empty_like(activated[:, :, :3])
    c_to_masters = torch.empty_like(activated[:, :, :2])
    c_to_logits[:, :, 0] = written * (1 - c_hat**2)
    overlap = i_master * f_master
    c_to_logits[:, :, 1] = ((i * unwritten).unflatten(-1, chunks) * overlap).flatten(-2)
    c_to_logits[:, :, 2] = ((f * forgotten).unflatten(-1, chunks) * overlap).flatten(-2)
    # ĩ = 1 − cumulative sum, hence its sign.
    c_to_masters[:, :, 0] = (both * f_master).flatten(-2) - c_hat
    c_to_masters[:, :, 1] = cell_before - (both * i_master).flatten(-2)
    return h_to_c, h_to_o, c_to_logits, c_to_masters
