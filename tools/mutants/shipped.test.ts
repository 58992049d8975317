import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kill } from './src/kill.js';
import { subjectOf, type ShippedBug } from './src/shipped.js';
import { withBug } from './src/switched.js';

const all = process.env['LETHE_SEEDS'] === 'all';

describe.each(['optimizers', 'lower-bounds', 'federations'] as const)('mutants of shipped %s', (list) => {
  const bugs = JSON.parse(
    readFileSync(new URL(`src/switched/${list}.json`, import.meta.url), 'utf8'),
  ) as readonly ShippedBug[];
  it.each(
    bugs
      .filter(({ atNight }) => all || atNight !== true)
      .map((bug) => [`${bug.id}: ${bug.title}`, bug] as const),
  )('%s', async (_, { id, title, killedBy, cell, ...bug }) => {
    const subject = await subjectOf(list, bug);
    const death = await withBug(id, () =>
      kill(
        {
          id,
          title,
          kind: subject.kind,
          source: 'shipped',
          killedBy: [killedBy],
          ...(cell !== undefined && { cell }),
          within: Infinity,
          plant: () => subject,
        },
        'lethe',
        'suite',
      ),
    );
    expect(death).toMatchObject({ law: killedBy });
  });
});
