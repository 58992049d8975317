import type { CoreEvent } from '@lethe/core';
import { defineClaimCheck, type ClaimCheck, type Violation } from '@lethe/laws';
import fc from 'fast-check';
import { above, differs, first } from '../../common/judging.js';
import type { MeansSubject } from './subject.js';

const adjacency = 'replace-one';
const target = { epsilon: 1.5, delta: 0.1 };
/** δ″, the part of δ that events may spend; the rest is for concentration. */
const failures = 0.03;

interface Step {
  readonly epsilon: number;
  readonly delta: number;
}
const eventOf = ({ epsilon, delta }: Step): CoreEvent<'core/approximate'> => ({
  kind: 'core/approximate',
  v: 1,
  epsilon,
  delta,
});

/** Probabilities under two neighbours of the answers of the worst (ε, δ)-private mechanism. */
function answersOf({ epsilon, delta }: Step): readonly (readonly [number, number])[] {
  const [likely, unlikely] = [(1 - delta) / (1 + Math.exp(-epsilon)), (1 - delta) / (1 + Math.exp(epsilon))];
  return [
    [likely, unlikely],
    [unlikely, likely],
    [delta, 0],
    [0, delta],
  ];
}

/** Row 125: the filter of Theorem A.4. */
export function filterChecks(subject: MeansSubject): readonly ClaimCheck[] {
  const filterOf = () =>
    subject.approximateFilter({ limit: target, adjacency, failures, rules: ['advanced'] });
  return [
    defineClaimCheck({
      id: 'ghazi/filter-of-events',
      tier: 'search',
      statement:
        'the filter goes on exactly while √(2 ln(1/δ′)Σε²) + Σε²/2 ≤ ε and Σδ ≤ δ″ with the event that ' +
        'is asked for; interactions of up to ' +
        'three events, whose ε depends on the answers, are (ε, δ)-private in an exact sum over transcripts',
      power: 'an event too many, in 60 sequences of up to twelve events and as many adaptive interactions',
      run: (env) =>
        env.forAll(
          fc.record({
            sizes: fc.array(
              fc.record({
                epsilon: fc.integer({ min: 1, max: 60 }).map((x) => x / 50),
                delta: fc.constantFrom(0, 0, 0.004, 0.02),
              }),
              { minLength: 3, maxLength: 12 },
            ),
          }),
          ({ sizes }) => {
            const found: (Violation | undefined)[] = [];
            const filter = filterOf();
            const spent: Step[] = [];
            for (const step of sizes) {
              const next = [...spent, step];
              const epsilon = subject.filteredEpsilon(
                next.map((one) => one.epsilon),
                target.delta - failures,
              );
              const isWithin =
                epsilon <= target.epsilon &&
                next.reduce((sum, { delta }) => sum + delta, 0) <= failures * (1 + 1e-12);
              // Rounding decides at the border itself.
              if (Math.abs(epsilon - target.epsilon) < 1e-9) break;
              const isGranted = filter.trySpend(eventOf(step));
              found.push(
                differs(`whether event ${next.length} is granted`, Number(isGranted), Number(isWithin), 0),
              );
              if (isGranted) spent.push(step);
            }
            let excess = 0;
            const visit = (p: number, q: number, history: readonly Step[], at: number): void => {
              const step = sizes[at % sizes.length];
              const replayed = filterOf();
              const isGranted =
                p > 0 && q > 0 && [...history, step].every((one) => replayed.trySpend(eventOf(one)));
              if (history.length >= 3 || !isGranted) {
                excess += Math.max(0, p - Math.exp(target.epsilon) * q);
                return;
              }
              answersOf(step).forEach(([a, b], i) =>
                // What is asked next depends on the answer.
                visit(p * a, q * b, [...history, step], at + 1 + i),
              );
            };
            visit(1, 1, [], 0);
            found.push(above('δ(ε) of the interaction', excess, target.delta));
            return first(...found);
          },
          { runs: 60 },
        ),
    }),
  ];
}
