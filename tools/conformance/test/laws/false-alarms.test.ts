import { memoryStore } from '@lethe/core';
import { centralCurator, openLedger } from '@lethe/curator';
import {
  accountFor,
  defaultAlpha,
  lawsFor,
  planChecks,
  subjectsOf,
  totalAlpha,
  type Law,
  type Subject,
  type SubjectKind,
} from '@lethe/laws';
import { expect, test } from 'vitest';
import { tightSubjects } from '../../../mutants/src/corpus.js';
import { registry } from '../combinations/parts.js';

const parts: readonly Subject[] = [
  { kind: 'curator', name: 'central', claims: [], registry, open: centralCurator },
  { kind: 'ledger', name: 'core', claims: [], open: openLedger },
  { kind: 'store', name: 'memory', claims: [], open: () => memoryStore() },
];

test('the false-alarm probability of all suites of one run together is at most 10⁻⁶', () => {
  const subjects = [
    ...registry.flatMap((plugin) => subjectsOf(plugin, { registry })),
    ...parts,
    ...tightSubjects.map(({ plant }) => plant()),
  ];
  const checks = subjects.flatMap((subject) =>
    planChecks(lawsFor(subject.kind) as readonly Law<SubjectKind>[], subject),
  );
  const sampled = checks.filter(
    ({ law, skipped }) => skipped === undefined && law.tier === 'statistical',
  ).length;
  process.stdout.write(
    `laws: ${subjects.length} subjects, ${checks.length} checks, ` +
      `${sampled} of them sampled at ${defaultAlpha} each; false alarms of a run: ` +
      `at most ${(sampled * defaultAlpha).toPrecision(2)} of ${totalAlpha}\n`,
  );
  expect(sampled).toBeGreaterThan(50);
  // Templates and correct subjects of the mutants are sampled in other files, with half of the budget.
  expect(sampled * defaultAlpha).toBeLessThan(totalAlpha / 2);
});

test('every claim of a shipped plugin has a law', () => {
  const untested = registry
    .flatMap((plugin) => subjectsOf(plugin, { registry }))
    .flatMap((subject) =>
      accountFor(lawsFor(subject.kind) as readonly Law<SubjectKind>[], subject).untested.map(
        (property) => `${subject.kind} ${subject.name}: ${property}`,
      ),
    );
  expect(untested).toEqual([]);
});
