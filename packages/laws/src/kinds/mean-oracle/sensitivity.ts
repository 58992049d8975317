import type { Adjacency, RandomSource } from '@lethe/core';
import { neighbourExamples } from '../../arbitraries/neighbours.js';
import { sensitivitySearch, type FoundSensitivity } from '../../engines/sensitivity-search.js';
import { fails, holds, type Finding } from '../../law/finding.js';
import { defineLaw, type Cell, type LawEnv } from '../../law/law.js';
import { named, unit } from '../clip/apply.js';
import { adjacenciesOf, feed, noShape, scaleAt, sensitivityAt, shapesOf, usesCoins, type Oracle, type Shape } from './release.js';

const cellsOf = (oracle: Oracle): readonly Cell[] => {
  const declared = adjacenciesOf(oracle);
  return declared.length === 0 ? [{ name: '' }] : declared.map((adjacency) => ({ name: adjacency, adjacency }));
};

interface Worst { readonly found: FoundSensitivity; readonly shape: Shape; readonly declared: number; readonly ratio: number; readonly how: string }

/** Under add-remove a record leaves: its slot is never added, or, where there are no coins for a slot, later ones move up. */
type How = 'full' | 'gap' | 'shift';

function search(oracle: Oracle, adjacency: Adjacency, shape: Shape, how: How, coins: RandomSource, evaluations: number, random: RandomSource): FoundSensitivity {
  const { norm } = oracle.plugin, { dimension, slots } = shape, scale = scaleAt(oracle, shape);
  // With a gap the two data sets have the same slots, as under zero-out; a batch of exact size is full.
  const searched: Adjacency = how === 'gap' ? 'zero-out' : adjacency, fewest = how === 'shift' ? 0 : slots;
  const examples = neighbourExamples(searched, { dimension, scale, rows: slots, norm, fewest }).filter(({ here, there }) => how === 'shift' || (here.length === slots && there.length === slots));
  return sensitivitySearch({
    adjacency: searched, norm, dimension, scale, rows: slots, fewest, nulls: searched === 'zero-out', starts: 5, evaluations, random, examples,
    query: (data) => feed(oracle, data, { shape, coins, nulls: how === 'gap' ? 'absent' : 'zero' }).value,
  });
}

/** Searches every shape in every way and hands each result to `look` until that is satisfied. */
function searchAll(oracle: Oracle, env: LawEnv, look: (worst: Worst, samples: number) => Finding | undefined): Finding | number {
  const adjacency = env.cell.adjacency!, tossed = usesCoins(oracle, env.random('coins'));
  const ways: readonly How[] = adjacency !== 'add-remove' ? ['full'] : tossed ? ['gap'] : ['gap', 'shift'];
  let samples = 0;
  for (const shape of shapesOf(oracle)) {
    const declared = sensitivityAt(oracle, shape)?.[adjacency];
    if (declared === undefined) continue;
    let worst: Worst | undefined;
    for (const how of ways) for (let toss = 0; toss < (tossed ? 4 : 1); toss++) {
      const name = `${shape.dimension} × ${shape.slots} ${how} ${toss}`;
      const found = search(oracle, adjacency, shape, how, env.random(`coins ${toss}`), env.samples(200), env.random(name));
      samples += found.evaluations;
      const ratio = found.sensitivity / declared;
      if (worst === undefined || !(ratio <= worst.ratio)) worst = { found, shape, declared, ratio, how: how === 'gap' ? 'absent records leave their slot empty' : how === 'shift' ? 'later records move up' : 'every slot is filled' };
      if (!(ratio <= 1 + roundingOf(shape))) break;
    }
    const finding = look(worst!, samples);
    if (finding !== undefined) return finding;
  }
  return samples;
}

/** Sums of `slots` terms, each bounded, against one term. */
const roundingOf = ({ dimension, slots }: Shape): number => 8 * slots * (2 * dimension + slots + 16) * unit;

/** `value()` moves by no more than is declared. */
export const sensitivity = defineLaw({
  id: 'meanOracle/sensitivity', kind: 'meanOracle', tier: 'search', invariant: 'I-2',
  statement: 'between neighbouring data sets, with the same coins, value() moves by at most the declared sensitivity in the declared norm; a batch keeps its public number of slots whatever is in them',
  power: 'an excess by 1 % that neighbours of up to 8 records around the declared scale show, or a climb of 1 000 steps a shape reaches',
  exempt: noShape, cells: cellsOf,
  check(oracle, env) {
    if (env.cell.adjacency === undefined) return holds(0, 'it declares no adjacency at all, and can answer nothing');
    const result = searchAll(oracle, env, ({ found, shape, declared, ratio, how }, samples) => (ratio <= 1 + roundingOf(shape) ? undefined : fails(samples, {
      what: `value() moved by ${found.sensitivity} in ${named(oracle.plugin.norm)} between ${env.cell.adjacency} neighbours (dimension ${shape.dimension}, ${shape.slots} slots; ${how}); the declared sensitivity is ${declared}`,
      measured: found.sensitivity, allowed: declared, input: { here: found.here, there: found.there },
    })));
    return typeof result === 'number' ? holds(result) : result;
  },
});

/** `value()` does move by what is declared. */
export const sensitivityAttained = defineLaw({
  id: 'meanOracle/sensitivity-attained', kind: 'meanOracle', tier: 'search', onClaim: true,
  statement: 'some neighbours are at least 0.98 of the declared sensitivity apart, and replacing a record counts at most twice removing it: more would be paid for in noise',
  power: 'a sensitivity declared 2 % or more too large',
  exempt: noShape, cells: cellsOf,
  check(oracle, env) {
    if (env.cell.adjacency === undefined) return holds(0, 'it declares no adjacency at all');
    const result = searchAll(oracle, env, ({ found, shape, declared, ratio }, samples) => {
      const { 'replace-one': two, 'zero-out': one } = sensitivityAt(oracle, shape)!;
      if (two !== undefined && one !== undefined && !(two <= 2 * one * (1 + 8 * unit))) return fails(samples, { what: `the sensitivity under replace-one is ${two}, more than twice the ${one} under zero-out: a replacement is two of those`, measured: two, allowed: 2 * one, input: shape });
      if (ratio >= 0.98) return undefined;
      return fails(samples, {
        what: `the farthest ${env.cell.adjacency} neighbours found (dimension ${shape.dimension}, ${shape.slots} slots) are ${found.sensitivity} apart, ${ratio} of the declared ${declared}, which is claimed to be attained`,
        measured: found.sensitivity, allowed: declared, input: { here: found.here, there: found.there },
      });
    });
    return typeof result === 'number' ? holds(result) : result;
  },
});

/** What is declared can be computed with. */
export const sensitivityDeclared = defineLaw({
  id: 'meanOracle/sensitivity-declared', kind: 'meanOracle', tier: 'exact',
  statement: 'every declared sensitivity is positive and finite, and depends on parameters, dimension and slots alone',
  power: 'any entry that is 0, negative, infinite or NaN, or that changes when asked for again or after a release',
  exempt: noShape,
  check(oracle, env) {
    let samples = 0;
    for (const shape of shapesOf(oracle, { most: 20 })) {
      const before = sensitivityAt(oracle, shape)!;
      const scale = scaleAt(oracle, shape);
      feed(oracle, Array.from({ length: shape.slots }, () => Array.from({ length: shape.dimension }, () => 3 * scale)), { shape, coins: env.random('coins') });
      const after = sensitivityAt(oracle, shape)!;
      for (const [adjacency, value] of Object.entries(before)) {
        samples++;
        if (value !== undefined && !(value > 0 && value < Infinity)) return fails(samples, { what: `the sensitivity under ${adjacency} is ${value} at dimension ${shape.dimension} and ${shape.slots} slots; leave an adjacency out that is not supported`, measured: value, input: shape });
        if (after[adjacency as Adjacency] !== value) return fails(samples, { what: `the sensitivity under ${adjacency} was ${value}, and ${after[adjacency as Adjacency]} after a release`, input: shape });
      }
    }
    return holds(samples);
  },
});
