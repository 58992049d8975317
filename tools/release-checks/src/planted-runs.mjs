/**
 * Runs the test runner in each folder of `process.argv`, one after another in this process, which loads it once.
 * In each folder the run leaves `summary.json`, if its reporter was reached, and `green.json`, whether it passed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';

for (const place of process.argv.slice(2)) {
  process.env['LETHE_SUMMARY'] = join(place, 'summary.json');
  process.exitCode = 0;
  const runner = await startVitest('test', [], { run: true, config: join(place, 'vitest.config.ts') });
  await runner.close();
  writeFileSync(join(place, 'green.json'), JSON.stringify((process.exitCode ?? 0) === 0));
}
process.exitCode = 0;
