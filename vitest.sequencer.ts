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
 * Projects whose longest file is long first, and long files of a project first: begun last, one of them alone
 * would keep everybody waiting. The project of most files is last, as its short files fill what is left. A
 * worker goes on with the next file if it is of the same project, with all that it has loaded; else a new one
 * is started. Files expected to take equally long stay in vitest's order.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longest = new Map<string, number>();
    const counts = new Map<string, number>();
    for (const { project, moduleId } of files) {
      longest.set(project.name, Math.max(longest.get(project.name) ?? 0, expectedSeconds(moduleId)));
      counts.set(project.name, (counts.get(project.name) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    const isLargest = ({ project }: TestSpecification): boolean => counts.get(project.name) === most;
    const ofProject = ({ project }: TestSpecification): number => longest.get(project.name) ?? 0;
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array's
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) =>
        Number(isLargest(a)) - Number(isLargest(b)) ||
        ofProject(b) - ofProject(a) ||
        (a.project.name === b.project.name ? expectedSeconds(b.moduleId) - expectedSeconds(a.moduleId) : 0),
    );
  }
}
