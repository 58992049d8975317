import { dirname, join, resolve } from 'node:path';
import { connectNats, identityFile } from '@lethe/federation';
import { writeWhole } from '@lethe/node';
import { federate } from '../federation/federate.js';
import type { FederationResult } from '../federation/federation-result.js';
import { ownerOf } from '../experiment/owner-of.js';
import { readFederation } from '../federation/read-federation.js';
import { noModelFile } from '../model/model-file.js';
import { deltaText, formatBound } from '../report/format.js';
import { toJson } from './accounting.js';
import type { Action } from './command.js';
import { networkOf } from './network.js';
import { rewrittenLine } from './rewritten-line.js';
import { letHeapGrow } from './let-heap-grow.js';

export const federateExperiment: Action = async (parsed, context) => {
  letHeapGrow();
  const { out, error, rewrite, signal, hold } = context;
  const [path] = parsed.positionals;
  const { experiment, registry } = await readFederation(path);
  const identity = identityFile(parsed.string('key') ?? join(dirname(resolve(path)), 'federation.key'));
  if (experiment.silos.length === 0) {
    out(`public key of this server: ${identity.public.text}\n`);
    error('Give this key to the owners of the silos, and put the keys that they give you under silos.\n');
    return 0;
  }
  error(`public key of this server: ${identity.public.text}\n`);
  const folder = resolve(parsed.string('out') ?? join('results', experiment.name));
  const line = rewrittenLine(rewrite);
  const say = (text: string): void => {
    line.clear();
    error(`${text}\n`);
  };
  const network = {
    servers: experiment.server,
    from: `server of ${path}`,
    name: `server ${experiment.name}`,
  };
  const connection = await connectNats(networkOf(parsed, network, context));
  try {
    let last = 0;
    const { renderFederation } = await import('../report/federation.js');
    const files = (result: FederationResult) => ({
      'report.html': renderFederation(result),
      ...(result.model === null ? {} : { 'model.json': `${toJson(result.model, 2)}\n` }),
      // Last: with it the run is finished.
      'results.json': `${toJson(result, 2)}\n`,
    });
    const written: string[] = [];
    const result = await federate(experiment, {
      registry,
      identity,
      connection,
      folder,
      existing: existingOf(parsed.flag),
      command: `lethe federate ${path}`,
      signal,
      hold,
      say,
      progress(done) {
        line.show(`query ${done}`);
        if (!line.isShown && performance.now() - last > lineEvery) {
          last = performance.now();
          error(`query ${done}\n`);
        }
      },
      keep(kept) {
        for (const [name, content] of Object.entries(files(kept))) {
          writeWhole(join(folder, name), content);
          written.push(join(folder, name));
        }
      },
    });
    line.clear();
    if (result === null) {
      error(`The run was finished before; its results are in ${folder}\n`);
      return 0;
    }
    out(parsed.flag('json') ? `${toJson(result)}\n` : summaryOf(result));
    error(`Wrote ${written.join(' and ')}\n`);
    return 0;
  } finally {
    await connection.close();
  }
};

/** Milliseconds between lines of progress where there is no terminal. */
const lineEvery = 5000;

function existingOf(flag: (name: string) => boolean): 'refuse' | 'resume' | 'again' {
  if (flag('resume')) return 'resume';
  return flag('again') ? 'again' : 'refuse';
}

function summaryOf(result: FederationResult): string {
  const { experiment, label, queries, seconds, silos, output, weights } = result;
  const rows = [
    [
      'silo',
      ownerOf(experiment.problem) === undefined ? 'records' : 'owners',
      'epsilon at most',
      'requests',
      'KiB up',
      'KiB down',
      'waited, s',
    ],
    ...silos.map(({ name, records, epsilon, requests, sent, received, waited }) => [
      name,
      records.toLocaleString('en'),
      formatBound(epsilon.upper, 'upper'),
      String(requests),
      (received / 1024).toFixed(1),
      (sent / 1024).toFixed(1),
      waited.toFixed(2),
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const table = rows.map(
    (row) =>
      `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[i]))).join('  ')}`,
  );
  const model = [...output].slice(0, 8).map((weight, i) => `${weights[i]} ${weight.toPrecision(4)}`);
  return [
    `${experiment.title} (${label}): ${queries} queries in ${seconds.toFixed(1)} s`,
    ...table,
    `  at delta ${deltaText(experiment.budget.delta)}, assuming ` +
      `${[...new Set(silos.flatMap(({ epsilon }) => epsilon.assumptions))].join(', ') || 'nothing'}`,
    `  model: ${model.join(', ')}${output.length > 8 ? ', …' : ''}`,
    ...(result.model === null ? [`  ${noModelFile}; the weights are in results.json`] : []),
    '',
  ].join('\n');
}
