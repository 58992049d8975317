import { environmentOf, type ClaimCheck, type Finding } from '@lethe/laws';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';

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
}

/** Those that try what is printed must fail. */
const expected = (id: string): Finding['verdict'] => (id.endsWith('-printed') ? 'fails' : 'holds');
const other = { holds: 'fails', fails: 'holds', skipped: 'skipped' } as const;
const found = async (check: ClaimCheck): Promise<Finding> =>
  check.run(environmentOf({ law: check.id }, { seed: process.env['FC_SEED'] ?? 'claims' }));
/** A check or a mutant that crashes tells nothing. */
const assertNoCrash = (finding: Finding): void => {
  if (finding.verdict !== 'fails') return;
  expect(finding.violation.cause).toBeUndefined();
  expect(finding.violation.what).not.toMatch(/^it throws|search for inputs failed|cannot be listed/u);
};

/** Declares the tests of rows: what ships is found right and what is printed wrong, and every mutant is found. */
export function testRows<S>({
  paper,
  rows: [first, last],
  checksOf,
  mutants,
  spared = () => false,
}: Rows<S>): void {
  const shipped = checksOf({});

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
      const finding = await found(check);
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
  });

  describe(`mutants of rows ${first} to ${last}`, () => {
    it('has one at least for every row and every check', () => {
      expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
      expect([...new Set(mutants.map(({ row }) => row))].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: last - first + 1 }, (_, k) => first + k),
      );
      const killers = new Set(mutants.map(({ killedBy }) => killedBy));
      expect(shipped.map(({ id }) => id).filter((id) => !killers.has(id) && !spared(id))).toEqual([]);
    });

    it.each(mutants.map((mutant) => [mutant.id, mutant.title, mutant] as const))(
      '%s: %s',
      async (_id, _title, { subject, killedBy }) => {
        const finding = await found(defined(checksOf(subject).find(({ id }) => id === killedBy)));
        expect(finding.verdict).toBe(other[expected(killedBy)]);
        assertNoCrash(finding);
      },
    );
  });
}
