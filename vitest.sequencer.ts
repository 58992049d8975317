import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = new URL('./', import.meta.url).pathname;
const stored = new URL('tools/durations.json', import.meta.url);
/** Seconds that files took when `npm test -- --durations` was last run; a fresh clone knows no others. */
const seconds = JSON.parse(readFileSync(stored, 'utf8')) as Readonly<Record<string, number>>;

/** Seconds that a file is expected to take: files that are not listed are short, or new. */
export const expectedSeconds = (file: string): number => seconds[relative(root, file)] ?? 1;

/**
 * Long files first: begun last, one of them alone would keep everybody waiting. Files expected to take
 * equally long stay as vitest would have them.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => expectedSeconds(b.moduleId) - expectedSeconds(a.moduleId));
  }
}
