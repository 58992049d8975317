import { environmentOf, parseClaims, type ClaimCheck, type Finding } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { notSlow } from '../../../tools/mutants/src/not-slow.js';
import { endAtFirstViolation } from '../../laws/test/first-violation.js';
import slow from './slow.json' with { type: 'json' };
import { watched } from './watched.js';

/** A wrong subject, and the check that must tell it from the one that ships. */
export interface Mutant<S> {
  readonly id: string;
  readonly title: string;
  /** Of the table of claims. */
  readonly row: number;
  readonly subject: Partial<S>;
  readonly killedBy: string;
}

/** Rows of a paper, what decides them, and what must not pass. */
export interface Rows<S> {
  readonly paper: string;
  readonly rows: readonly [first: number, last: number];
  readonly checksOf: (replaced: Partial<S>) => readonly ClaimCheck[];
  readonly mutants: readonly Mutant<S>[];
  /** Checks that need no mutant. @defaultValue none */
  readonly spared?: (id: string) => boolean;
  /** Rows that repeat another, and have no check. @defaultValue none */
  readonly repeated?: readonly number[];
  /**
   * The shipped subject and the ledger: rows whose check calls nothing that ships must say so. `around` names
   * members of the subject that only call shipped functions. @defaultValue not looked at
   */
  readonly shippedBy?: {
    readonly subject: S;
    readonly ledger: unknown;
    readonly around?: readonly (keyof S & string)[];
  };
}

/** Those that try what is printed must fail. */
const expected = (id: string): Finding['verdict'] => (id.endsWith('-printed') ? 'fails' : 'holds');
const other = { holds: 'fails', fails: 'holds', skipped: 'skipped' } as const;
const isFull = process.env['LETHE_EFFORT'] === 'full';
/** Checks with a mutant that lives at a quarter of their inputs and draws. */
const wholeByDay: ReadonlySet<string> = new Set([
  'ghazi/convex-run',
  'ghazi/recovery-error',
  'ghazi/stationary-run',
  'ghazi/uniform-iterate',
  'lowy/projections',
  'lowy/regularised-excess',
  'maranjyan/audit',
  'maranjyan/noise-where-drawn',
]);
/** By day with a quarter of its inputs and draws, which finds every mutant of the other checks. */
const found = async (check: ClaimCheck): Promise<Finding> =>
  check.run(
    environmentOf(
      { law: check.id },
      {
        seed: process.env['FC_SEED'] ?? 'claims',
        effort: isFull || wholeByDay.has(check.id) ? 1 : 1 / 4,
      },
    ),
  );
/** A check or a mutant that crashes tells nothing. */
const assertNoCrash = (finding: Finding): void => {
  if (finding.verdict !== 'fails') return;
  expect(finding.violation.cause).toBeUndefined();
  expect(finding.violation.what).not.toMatch(/^it throws|search for inputs failed|cannot be listed/u);
};

/** Mutants that a day tries, as they judge the checks and not what ships. `LETHE_EFFORT=full` tries all. */
const byDay = <S>(mutants: readonly Mutant<S>[]): readonly Mutant<S>[] =>
  isFull ? mutants : notSlow(mutants, slow, ({ killedBy }) => killedBy);

/**
 * Declares the tests of rows: what ships is found right and what is printed wrong, and every mutant is found.
 */
export function testRows<S extends object>({
  paper,
  rows: [first, last],
  checksOf,
  mutants,
  spared = () => false,
  repeated = [],
  shippedBy,
}: Rows<S>): void {
  const watching = shippedBy === undefined ? null : watched(shippedBy.subject, shippedBy.around);
  const shipped = checksOf(watching?.subject ?? {});
  const calls = new Map<string, readonly string[]>();
  const run = async (check: ClaimCheck): Promise<Finding> => {
    watching?.forget();
    const finding = await found(check);
    calls.set(check.id, watching?.called() ?? []);
    return finding;
  };

  describe(`the checks of rows ${first} to ${last}`, () => {
    it('have names of their own, and say what they try and what they would find', () => {
      expect(new Set(shipped.map(({ id }) => id)).size).toBe(shipped.length);
      expect(
        shipped
          .filter(
            ({ id, statement, power }) =>
              !id.startsWith(`${paper}/`) ||
              statement === '' ||
              (power === undefined && !id.endsWith('-printed')),
          )
          .map(({ id }) => id),
      ).toEqual([]);
    });

    it.each(shipped.map((check) => [check.id, check] as const))('%s', async (id, check) => {
      const finding = await run(check);
      expect(finding.verdict, `${id}: ${finding.verdict === 'fails' ? finding.violation.what : ''}`).toBe(
        expected(id),
      );
      expect(finding.samples).toBeGreaterThan(0);
      assertNoCrash(finding);
      // A counterexample is two numbers.
      if (finding.verdict === 'fails')
        expect(finding.violation).toMatchObject({
          measured: expect.any(Number),
          allowed: expect.any(Number),
        });
    });

    it.skipIf(shippedBy === undefined)('call something that ships, but for rows that say so', async () => {
      const own = parseClaims(shippedBy?.ledger).claims.flatMap((claim) => {
        const check = shipped.find(({ id }) => id === claim.check);
        return claim.verdict === 'repeats' || check === undefined ? [] : [{ ...claim, deciding: check }];
      });
      // oxlint-disable-next-line no-await-in-loop -- what is called is noted for one check after the other
      for (const { deciding } of own) if (!calls.has(deciding.id)) await run(deciding);
      const silent = own.filter(({ deciding }) => calls.get(deciding.id)?.length === 0).map(({ id }) => id);
      const said = own.filter(({ paperOnly }) => paperOnly === true).map(({ id }) => id);
      expect(said).toEqual(silent);
    });
  });

  describe(`mutants of rows ${first} to ${last}`, () => {
    // That a mutant is found matters, not its smallest counterexample.
    endAtFirstViolation();

    it('has one at least for every row and every check', () => {
      expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
      expect([...new Set(mutants.map(({ row }) => row))].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: last - first + 1 }, (_, k) => first + k).filter(
          (row) => !repeated.includes(row),
        ),
      );
      const killers = new Set(mutants.map(({ killedBy }) => killedBy));
      expect(shipped.map(({ id }) => id).filter((id) => !killers.has(id) && !spared(id))).toEqual([]);
    });

    it.each(byDay(mutants).map((mutant) => [mutant.id, mutant.title, mutant] as const))(
      '%s: %s',
      async (_id, _title, { subject, killedBy }) => {
        const finding = await found(defined(checksOf(subject).find(({ id }) => id === killedBy)));
        expect(finding.verdict).toBe(other[expected(killedBy)]);
        assertNoCrash(finding);
      },
    );
  });
}
