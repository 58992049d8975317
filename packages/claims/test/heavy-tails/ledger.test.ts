import { parseClaims } from '@lethe/laws';
import { expect, it } from 'vitest';
import json from '@lethe/algorithms/heavy-tails/claims.json' with { type: 'json' };

const ledger = parseClaims(json);

it('has a counterexample for every row that is corrected', () => {
  expect(
    ledger.claims
      .filter((claim) => claim.verdict === 'corrected' && claim.counterexample === undefined)
      .map(({ id }) => id),
  ).toEqual([]);
});

it('speaks of every erratum, R1 to R45', () => {
  const named = new Set(ledger.claims.flatMap((claim) => JSON.stringify(claim).match(/\bR\d+\b/gu) ?? []));
  expect([...named].toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))).toEqual(
    Array.from({ length: 45 }, (_, i) => `R${i + 1}`),
  );
});
