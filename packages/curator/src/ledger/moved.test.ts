import { clippedMeanEvent } from '@lethe/core';
import { InvalidParameter, seededRandom } from '@lethe/numerics';
import { expect, test } from 'vitest';
import type { Effect } from './effect.js';
import { openLedger } from './ledger.js';
import { movedEffect, sameMoved, type Move } from './moved.js';

const move: Move = { run: 'r', from: 3, by: 3 };
const drawn = { space: 'r/3', from: 0, to: 1 };
const event = clippedMeanEvent(1, 'zero-out');
const step: readonly Effect[] = [
  {
    closes: ['r/4'],
    space: {
      id: 'r/3',
      how: 'sample',
      parent: 'everyone',
      within: { space: 'all', from: 0, to: 9 },
      sampler: { kind: 'core/poisson', rate: 0.5 },
      recipe: {
        by: 'sample',
        sampler: { kind: 'sampler', name: 'poisson', params: { rate: 0.5 } },
        hidden: true,
      },
    },
    batches: [{ id: 'r/3', stretch: drawn, normaliser: 4.5, size: 'hidden', scope: 'r/3' }],
  },
  { charge: { on: drawn, event } },
  { prepaid: { on: drawn, event }, affords: true },
  { closes: ['r/3'] },
];

type Tree = { [name: string]: unknown };
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Every effect that differs in one place: a value changed or left out, or a field added. */
function* changes(effect: Effect): Generator<Effect> {
  const paths: string[][] = [[]];
  for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
    for (const [name, inner] of Object.entries(at(effect, path))) {
      if (isTree(inner)) paths.push([...path, name]);
      else
        yield changed(effect, path, (tree) => {
          tree[name] = typeof inner === 'number' ? inner + 1 : 'x';
        });
      if (path.length === 0 || (!isTree(inner) && !Array.isArray(at(effect, path))))
        yield changed(effect, path, (tree) => delete tree[name]);
    }
    yield changed(effect, path, (tree) => (Array.isArray(tree) ? tree.push('r/1') : (tree['more'] = 1)));
  }
}

const at = (effect: object, path: readonly string[]): Tree =>
  path.reduce((tree, name) => tree[name] as Tree, effect as Tree);

function changed(effect: Effect, path: readonly string[], change: (tree: Tree) => unknown): Effect {
  const copy = structuredClone(effect);
  change(at(copy, path));
  return copy;
}

test('a step is the same as an earlier one in every field, or another one', () => {
  for (const effect of step) {
    const later = movedEffect(effect, move);
    expect(sameMoved(effect, later, move)).toBe(true);
    expect(sameMoved(effect, { ...later, stream: undefined } as unknown as Effect, move)).toBe(true);
    expect(sameMoved(effect, effect, move)).toBe(false);
    const others = [...changes(later)];
    expect(others.length).toBeGreaterThan(3);
    expect(others.filter((other) => sameMoved(effect, other, move))).toEqual([]);
  }
});

test('an effect that is not one of the contract is no step like another, and is refused', () => {
  const ledger = openLedger({ adjacency: 'zero-out' });
  ledger.openRun('r', seededRandom('r'));
  const odd: readonly unknown[] = [null, 1, 'x', [null], { on: null }, { id: 3 }];
  for (const effect of step)
    for (const name of ['charge', 'prepaid', 'space', 'batches', 'closes', 'push'])
      for (const value of odd) {
        const malformed = { ...effect, [name]: value } as unknown as Effect;
        expect(sameMoved(effect, malformed, move)).toBe(false);
        expect(sameMoved(malformed, movedEffect(effect, move), move)).toBe(false);
        if (name !== 'push')
          expect(() =>
            ledger.append({ run: 'r', index: 0, digest: '00'.repeat(16), effect: malformed }),
          ).toThrow(InvalidParameter);
      }
});
