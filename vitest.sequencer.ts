import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest, longest first: begun last, one of them alone would keep everybody waiting. A fresh clone knows no durations. */
const long = ['conformance/test/laws/accountant', 'release-checks/src/packages', 'mutants/corpus', 'conformance/test/laws/mean-oracle', 'mutants/mutants-', 'release-checks/src/guide', 'lab/test/kill', 'claims/test/'];

const place = ({ moduleId }: TestSpecification): number => {
  const found = long.findIndex((part) => moduleId.includes(part));
  return found < 0 ? long.length : found;
};

/** Long files first, the others as vitest would have them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
}
