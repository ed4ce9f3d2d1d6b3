#!/usr/bin/env python3
"""Makes mlp_training.txt: what 100 steps of examples/jax_mlp.mlir must give, computed by NumPy.

Two layers, 784 -> 512 -> 10, relu between them, mean squared error, gradient descent with rate 0.01.
The gradients are written out by hand, in float64; the program computes in float32. Element i of
array k is ((7919 i + 104729 k) mod 1009 / 1009 - 0.5) * scale, rounded to float32.
"""
import pathlib

import numpy as np

STEPS = 100
RATE = np.float64(np.float32(0.01))


def array(k, shape, scale):
    i = np.arange(np.prod(shape), dtype=np.int64)
    values = (((7919 * i + 104729 * k) % 1009) / 1009 - 0.5) * scale
    return values.astype(np.float32).astype(np.float64).reshape(shape)


def main():
    # The order of the arguments: both biases, both matrices, the batch and what it should give.
    b1, b2 = array(0, (512,), 0.1), array(1, (10,), 0.1)
    w1, w2 = array(2, (784, 512), 0.1), array(3, (512, 10), 0.1)
    x, y = array(4, (128, 784), 2.0), array(5, (128, 10), 2.0)
    lines = []
    for _ in range(STEPS):
        before = x @ w1 + b1
        hidden = np.maximum(before, 0)
        error = hidden @ w2 + b2 - y
        lines.append(f'loss {np.mean(error**2):.9g}')
        of_out = 2 * error / error.size
        of_hidden = np.where(before > 0, of_out @ w2.T, 0)
        b2, w2 = b2 - RATE * of_out.sum(0), w2 - RATE * (hidden.T @ of_out)
        b1, w1 = b1 - RATE * of_hidden.sum(0), w1 - RATE * (x.T @ of_hidden)
    for name, weights in ('b1', b1), ('b2', b2), ('w1', w1), ('w2', w2):
        lines.append(f'{name} {weights.sum():.9g} {(weights**2).sum():.9g}')
    pathlib.Path(__file__).with_suffix('.txt').write_text('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
