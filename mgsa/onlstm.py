"""ON-LSTM (Shen et al. 2019, Ordered Neurons, section 4): an LSTM whose master gates order it.

    f̃ = cumax(·)         master forget gate        ĩ = 1 − cumax(·)     master input gate
    ω = f̃ ĩ              their overlap
    f̂ = f ω + (f̃ − ω)                              î = i ω + (ĩ − ω)
    c = f̂ c' + î ĉ                                 h = o tanh(c)

where f, i, o, ĉ are the gates and the candidate of an ordinary LSTM, and cumax is the cumulative
sum of a softmax over chunks of hidden units: all units of a chunk share their master gates.

MG-SA runs one ON-LSTM for each granularity. They are independent and a step of one is too small to
keep a processor busy, so they run side by side, as one batch of matrices: G of them here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional as F


class ONLSTM(nn.Module):
    """ON-LSTM over sequences.

    Rows of both projections come in the order of the authors' published code: master input and
    master forget gate (a row for each chunk), then output gate, cell, input gate and forget gate
    (a row for each hidden unit).
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
        self.input_projection = nn.Linear(input_size, rows)
        self.recurrent_projection = nn.Linear(hidden_size, rows)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -(hidden_size**-0.5), hidden_size**-0.5)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, D), lengths (B,) to hidden states (B, T, H), zeros after a sequence's end."""
        return run_side_by_side([self], [x], [lengths])[0]


@torch.compiler.disable  # unrolled, it would be compiled anew for every number of steps
def run_side_by_side(
    layers: Sequence[ONLSTM], inputs: Sequence[Tensor], lengths: Sequence[Tensor]
) -> list[Tensor]:
    """What each layer of the same size makes of its own input, in one loop over positions.

    Args:
        inputs: for each layer, x (B, T_g, D).
        lengths: for each layer, (B,).

    Returns:
        For each layer, (B, T_g, H), zeros after a sequence's end.
    """
    steps = [x.shape[1] for x in inputs]
    # Longest first: those that still run at a step are then a slice.
    order = sorted(range(len(layers)), key=lambda g: -steps[g])
    gates = []
    for g in order:
        projection, recurrence = layers[g].input_projection, layers[g].recurrent_projection
        projected = F.linear(inputs[g], projection.weight, projection.bias + recurrence.bias)
        gates.append(F.pad(projected.transpose(0, 1), (0, 0, 0, 0, 0, max(steps) - steps[g])))
    weight = torch.stack([layers[g].recurrent_projection.weight for g in order])
    running = [sum(t < n for n in steps) for t in range(max(steps))]
    with torch.autocast(weight.device.type, enabled=False):
        # (T, G, B, rows): what is added up over many positions stays in the weights' precision.
        stacked = torch.stack(gates, dim=1).to(weight.dtype)
        hidden = _Recurrence.apply(stacked, weight, layers[0].num_chunks, running)
    outputs: list[Tensor] = [hidden] * len(layers)
    for place, g in enumerate(order):
        positions = torch.arange(steps[g], device=hidden.device)
        ended = (positions >= lengths[g][:, None])[..., None]
        outputs[g] = hidden[: steps[g], place].transpose(0, 1).masked_fill(ended, 0.0)
    return outputs


class _Recurrence(torch.autograd.Function):
    """The loop over positions, with its gradient written out.

    A step's gradient is the incoming gradient times factors that the forward pass alone decides:
    they are computed for all steps at once, and the loop back keeps a third of the operations that
    recording each step would take.
    """

    @staticmethod
    def forward(
        ctx: Any, gates: Tensor, weight: Tensor, num_chunks: int, running: list[int]
    ) -> Tensor:
        """Hidden states (T, G, B, H).

        Args:
            gates: (T, G, B, rows) what the input adds to each gate.
            weight: (G, rows, H) of the recurrence.
            running: for each step, how many of the G still run.
        """
        T, G, B, _ = gates.shape
        H, n = weight.shape[2], num_chunks
        transposed = weight.transpose(1, 2)
        activated = gates.new_zeros(T, G, B, 4, H)  # output gate, candidate, input, forget gate
        shares = gates.new_zeros(T, G, B, 2, n)  # softmax of the master input and forget gate
        cell, hidden = gates.new_zeros(2, T + 1, G, B, H)
        for t, g in enumerate(running):
            total = torch.baddbmm(gates[t, :g], hidden[t, :g], transposed[:g])
            torch.softmax(total[..., : 2 * n].unflatten(-1, (2, n)), dim=-1, out=shares[t, :g])
            now = activated[t, :g]
            torch.sigmoid(total[..., 2 * n :].unflatten(-1, (4, H)), out=now)
            torch.tanh(total[..., 2 * n + H : 2 * n + 2 * H], out=now[..., 1, :])
            keep, write = _structured_gates(now, _master_gates(shares[t, :g]))
            torch.mul(keep, cell[t, :g], out=cell[t + 1, :g])
            cell[t + 1, :g].addcmul_(write, now[..., 1, :])
            torch.mul(now[..., 0, :], cell[t + 1, :g].tanh(), out=hidden[t + 1, :g])
        ctx.save_for_backward(weight, activated, shares, cell, hidden)
        ctx.running = running
        return hidden[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        weight, activated, shares, cell, hidden = ctx.saved_tensors
        T, G, B, _, H = activated.shape
        n = shares.shape[-1]
        o, c_hat, i, f = activated.unbind(-2)
        master = _master_gates(shares)
        keep, write = _structured_gates(activated, master)
        i_master, f_master = (m.repeat_interleave(H // n, dim=-1) for m in master)
        tanh_c = cell[1:].tanh()
        # Each factor is what a gradient is multiplied by on its way: of h to c and to o's logit;
        # of c to the logits of ĉ, i and f, and to the master gates as the softmax's sum sees them.
        h_to_c = o * (1 - tanh_c**2)
        h_to_o = tanh_c * o * (1 - o)
        overlap = i_master * f_master
        c_to_logits = torch.stack(
            [
                write * (1 - c_hat**2),
                c_hat * overlap * i * (1 - i),
                cell[:-1] * overlap * f * (1 - f),
            ],
            dim=-2,
        )
        c_to_masters = torch.stack(
            [
                -(c_hat * (i * f_master + 1 - f_master) + cell[:-1] * f_master * (f - 1)),
                cell[:-1] * (f * i_master + 1 - i_master) + c_hat * i_master * (i - 1),
            ],
            dim=-2,
        )
        # A share is in the cumulative sum of its own chunk and of all after it.
        chunk = torch.arange(H, device=grad.device) // (H // n)
        to_shares = (chunk[:, None] >= torch.arange(n, device=grad.device)).to(grad.dtype)

        grad_gates = grad.new_zeros(T, G, B, 2 * n + 4 * H)
        grad_cell = grad.new_zeros(G, B, H)
        grad_hidden = grad.clone()
        for t in range(T - 1, -1, -1):
            g = ctx.running[t]
            d_gates, d_c, d_h = grad_gates[t, :g], grad_cell[:g], grad_hidden[t, :g]
            d_c.addcmul_(d_h, h_to_c[t, :g])
            torch.mul(d_h, h_to_o[t, :g], out=d_gates[..., 2 * n : 2 * n + H])
            d_logits = d_gates[..., 2 * n + H :].unflatten(-1, (3, H))
            torch.mul(d_c[..., None, :], c_to_logits[t, :g], out=d_logits)
            d_shares = (d_c[..., None, :] * c_to_masters[t, :g]) @ to_shares  # (g, B, 2, n)
            s = shares[t, :g]
            d_shares -= (d_shares * s).sum(dim=-1, keepdim=True)
            torch.mul(d_shares, s, out=d_gates[..., : 2 * n].unflatten(-1, (2, n)))
            d_c.mul_(keep[t, :g])
            if t > 0:
                grad_hidden[t - 1, :g].baddbmm_(d_gates, weight[:g])
        grad_weight = torch.einsum("tgbr,tgbh->grh", grad_gates, hidden[:-1])
        return grad_gates, grad_weight, None, None


def _master_gates(shares: Tensor) -> tuple[Tensor, Tensor]:
    """Shares (…, 2, chunks) to the master input gate ĩ and the master forget gate f̃."""
    master_input, master_forget = shares.cumsum(dim=-1).unbind(-2)
    return 1 - master_input, master_forget


def _structured_gates(activated: Tensor, master: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """Gates (…, 4, H) and master gates (…, chunks) to f̂ and î, (…, H)."""
    i_master, f_master = (m[..., None] for m in master)
    overlap = i_master * f_master
    i, f = activated[..., 2:, :].unflatten(-1, (i_master.shape[-2], -1)).unbind(-3)
    keep = torch.addcmul(f_master - overlap, f, overlap)
    write = torch.addcmul(i_master - overlap, i, overlap)
    return keep.flatten(-2), write.flatten(-2)
