import { seededRandom } from '@lethe/core';
import { randomFromKey } from '@lethe/numerics';
import fc from 'fast-check';
import { seeds } from '../../arbitraries/seeds.js';
import { fails, type Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { notRefused } from './declined.js';
import { drawn, repeats, slotCounts, slotsTaken } from './draws.js';

const someDraw = fc.record({ slots: fc.constantFrom(...slotCounts), seed: seeds });

/** Invalid numbers of slots. */
export const badSlots = [-1, 2.5, Number.NaN, Infinity];

/** Positions of a draw are valid. */
export const positions = defineLaw<'sampler'>({
  id: 'sampler/positions',
  kind: 'sampler',
  tier: 'search',
  statement:
    'a draw has ascending positions in [0, slots), distinct unless the declared sampler is sampling with ' +
    'replacement; whether it is refused depends on the number of slots alone, ' +
    'and a number that is not an integer is refused',
  power:
    'a violation with probability 0.1 at some number of slots from 0 to 70 000; ' +
    'one of 4 invalid numbers of slots accepted, or refused with another error',
  check(subject, env) {
    const taken = slotsTaken(subject, env.random('slots'));
    if (taken.every((slots) => slots === 0))
      return fails(slotCounts.length, { what: `it supports none of ${slotCounts.join(', ')} slots` });
    const { plugin, params } = subject;
    const answered = notRefused([
      ...badSlots.map((slots) => ({
        call: `a draw from ${slots} slots`,
        run: () => plugin.draw(params, slots, seededRandom('refused')),
        input: { slots: String(slots) },
      })),
      ...[-1, Number.NaN].map((slots) => ({
        call: `the normaliser for ${slots} slots`,
        run: () => plugin.normaliser(params, slots),
        input: { slots: String(slots) },
      })),
    ]);
    if (answered !== undefined) return fails(1, answered);
    return env.forAll(
      someDraw,
      ({ slots, seed }): Violation | undefined => {
        const draw = drawn(subject, slots, seededRandom(seed));
        if (slotCounts.includes(slots) && (draw !== undefined) !== taken.includes(slots))
          return { what: `from ${slots} slots it draws with some seeds and refuses with others` };
        if (draw === undefined) return undefined;
        if (!(draw instanceof Uint32Array))
          return {
            what: 'a draw is a Uint32Array; this one is not',
            witness: Object.prototype.toString.call(draw),
          };
        const step = repeats(subject, slots) ? 0 : 1;
        const bad = draw.findIndex(
          (position, i) => position >= slots || (i > 0 && position < draw[i - 1] + step),
        );
        return bad < 0
          ? undefined
          : {
              what:
                `position ${draw[bad]} is at index ${bad} after ${draw[bad - 1] ?? 'nothing'}; ` +
                `positions ascend${step === 1 ? ', none twice,' : ''} and stay below ${slots}`,
              witness: `[${Array.from(draw.slice(0, 40)).join(', ')}]`,
            };
        // One case beyond 2^16: positions are 32-bit numbers.
      },
      { runs: 300, examples: [...taken, 70_000].map((slots) => ({ slots, seed: 1 })) },
    );
  },
});

/** The size of a batch, if public. */
export const size = defineLaw<'sampler'>({
  id: 'sampler/size',
  kind: 'sampler',
  tier: 'search',
  statement: "a sampler of size 'exact' always draws as many positions as its normaliser says",
  power: 'a different size with probability 0.02 at some number of slots',
  exempt: ({ plugin }) => (plugin.size === 'hidden' ? 'the size is hidden' : undefined),
  check: (subject, env) =>
    env.forAll(
      someDraw,
      ({ slots, seed }): Violation | undefined => {
        const draw = drawn(subject, slots, seededRandom(seed));
        if (draw === undefined || (slots === 0 && draw.length === 0)) return undefined;
        const normaliser = subject.plugin.normaliser(subject.params, slots);
        return draw.length === normaliser
          ? undefined
          : {
              what:
                `a draw from ${slots} slots has ${draw.length} positions; the size is public and ` +
                `declared as ${normaliser}`,
              measured: draw.length,
              allowed: normaliser,
            };
      },
      { runs: 300, examples: [{ slots: 70_000, seed: 1 }] },
    ),
});

const sequence = fc.record({
  calls: fc.array(
    fc.record({ slots: fc.constantFrom(...slotCounts.slice(1, 14)), seed: fc.constantFrom(1, 2, 3) }),
    { minLength: 2, maxLength: 10, size: 'max' },
  ),
  seed: seeds,
});

const textOf = (draw: Uint32Array | undefined): string =>
  draw === undefined ? 'a typed error' : `[${Array.from(draw).join(', ')}]`;

/** Draws are functions of the randomness. */
export const randomness = defineLaw<'sampler'>({
  id: 'sampler/coins',
  kind: 'sampler',
  tier: 'search',
  statement:
    'a draw depends on slots and randomness alone, and the normaliser on slots: ' +
    'not on earlier or later draws, the kind of the source, or changes of arrays returned before',
  power: 'any such dependence within 80 sequences of up to ten draws',
  check: (subject, env) =>
    env.forAll(
      sequence,
      ({ calls, seed }): Violation | undefined => {
        const key = (call: { readonly seed: number }) => seededRandom(`${seed} ${call.seed}`).key();
        const first = new Map<string, string>();
        for (const call of calls) {
          const { slots } = call;
          const normaliser = String(
            drawn(subject, slots, randomFromKey(key(call), 'seeded')) &&
              subject.plugin.normaliser(subject.params, slots),
          );
          const said = first.get(`normaliser ${slots}`);
          if (said !== undefined && said !== normaliser)
            return {
              what:
                `the normaliser for ${slots} slots is ${said} and after other draws ${normaliser}; ` +
                'it is public and must depend on the slots alone',
            };
          first.set(`normaliser ${slots}`, normaliser);
          const label = `${slots} slots, randomness ${call.seed}`;
          const draw = drawn(subject, slots, randomFromKey(key(call), 'seeded'));
          const text = textOf(draw);
          const again = textOf(drawn(subject, slots, randomFromKey(key(call), 'seeded')));
          if (again !== text)
            return { what: `for equal slots and randomness (${label}) it draws ${text} and later ${again}` };
          const before = first.get(label);
          if (before !== undefined && before !== text)
            return { what: `for equal slots and randomness (${label}) it draws ${before} and later ${text}` };
          const other = drawn(subject, slots, seededRandom(`other coins than ${seed}`));
          if (draw !== undefined && (other === draw || textOf(draw) !== text))
            return {
              what: `a batch changes with the next draw (${label}): both are one array`,
              witness: `${text} then ${textOf(draw)}`,
            };
          first.set(label, text);
          draw?.fill(0);
        }
        const { slots } = calls[0];
        const [seeded, secure] = (['seeded', 'secure'] as const).map((kind) =>
          drawn(subject, slots, randomFromKey(key(calls[0]), kind))?.join(),
        );
        return seeded === secure
          ? undefined
          : {
              what:
                `from ${slots} slots a seeded and a secure source with ` +
                'equal randomness give different draws',
            };
      },
      { runs: 80 },
    ),
});
