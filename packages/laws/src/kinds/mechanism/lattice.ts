import type { RandomSource } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { shown } from '../../law/report.js';
import { unlessUnsupported } from '../../law/unless-unsupported.js';
import { isExact, noised, thrownBy } from './call.js';
import { callsOf } from './calls.js';

/** Draws from densities, which a finite number of bits cannot represent exactly. */
const real = ['uniform', 'gaussianInto', 'laplaceInto', 'exponential'] as const;

/** Names of the {@link recordedDraws} draws from densities. */
export const realDraws = (drawn: ReadonlySet<string>): readonly string[] =>
  real.filter((name) => drawn.has(name));

/** The same source, with a record of its real-valued draws. */
export function recordedDraws(source: RandomSource, drawn: Set<string>): RandomSource {
  const say = <T>(name: string, value: T): T => {
    drawn.add(name);
    return value;
  };
  return {
    kind: source.kind,
    uniform: () => say('uniform', source.uniform()),
    gaussianInto: (out) => say('gaussianInto', source.gaussianInto(out)),
    laplaceInto: (out) => say('laplaceInto', source.laplaceInto(out)),
    exponential: () => say('exponential', source.exponential()),
    integer: (below) => source.integer(below),
    bits32: () => source.bits32(),
    bits53: () => source.bits53(),
    bytes: (count) => source.bytes(count),
    fork: (label) => recordedDraws(source.fork(label), drawn),
    key: () => source.key(),
  };
}

export const latticeLaw = defineLaw({
  id: 'mechanism/lattice',
  kind: 'mechanism',
  tier: 'search',
  statement:
    'exact noise maps integers to integers, uses integer randomness alone, ' +
    'and does not release a fraction of the value, nor the sign of a zero',
  source: { id: 'mironov-2012', item: 'Section 4' },
  power: 'one non-integer entry, or one real-valued draw, in 100 calls',
  exempt: (subject) =>
    isExact(subject) ? undefined : 'it declares idealised numerics, which assume real arithmetic',
  check: (subject, env) =>
    env.forAll(
      callsOf(subject),
      ({ value, scale }): Violation | undefined => {
        const drawn = new Set<string>();
        const out = unlessUnsupported(() =>
          noised(subject, value, scale, recordedDraws(env.random('coins'), drawn)),
        );
        const off = out?.findIndex((x) => !Number.isSafeInteger(x)) ?? -1;
        if (off >= 0)
          return {
            what:
              `exact numerics are declared, and entry ${off} goes from ` +
              `${value[off]} to ${defined(out)[off]}, which is no integer: ` +
              'the set of possible outputs distinguishes neighbours',
            measured: defined(out)[off],
          };
        const found = realDraws(drawn);
        if (found.length > 0)
          return {
            what:
              `exact numerics are declared, and the noise uses ${found.join(', ')}, ` +
              'which round real numbers; use integer draws',
          };
        const [zeros, negative] = [0, -0].map((zero) =>
          unlessUnsupported(() =>
            noised(subject, new Float64Array(16).fill(zero), scale, env.random('coins')),
          ),
        );
        const signed = zeros?.findIndex((x, i) => !Object.is(x, negative?.[i])) ?? -1;
        if (signed >= 0)
          return {
            what: 'exact numerics are declared, and the sign of a zero is released without noise',
            witness: `0 becomes ${shown(zeros?.[signed])}, −0 becomes ${shown(negative?.[signed])}`,
          };
        const mixed = Float64Array.from(value, (x, i) => (i === value.length - 1 ? x + 0.5 : x));
        const before = mixed.slice();
        if (
          thrownBy(() => {
            subject.plugin.addNoise(subject.params, mixed, scale, env.random('coins'));
          }) !== undefined &&
          mixed.some((x, i) => !Object.is(x, before[i]))
        ) {
          return {
            what: 'a value with a fraction is refused after noise was added to some of its entries',
            witness: `[${before.join(', ')}] became [${mixed.join(', ')}]`,
            input: { value: Array.from(before), scale },
          };
        }
        const fractions = value.map((x) => x + 0.5);
        let through: Float64Array | undefined;
        if (
          thrownBy(() => {
            through = noised(subject, fractions, scale, env.random('coins'));
          }) !== undefined
        )
          return undefined;
        const leak = defined(through).findIndex((x) => !Number.isInteger(x));
        return leak < 0
          ? undefined
          : {
              what:
                `exact numerics are declared, and a value of ${fractions[leak]} ` +
                `becomes ${defined(through)[leak]}: its fraction is released without ` +
                'noise; refuse it, or round before adding',
              measured: defined(through)[leak],
              input: { value: fractions, scale },
            };
      },
      { runs: 100 },
    ),
});
