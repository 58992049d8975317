import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { adjacencyOption, jsonFlag, pluginOption, setOption } from './shared-options.js';

/** Options that restrict an experiment, and say nothing about the optimizers that ship. */
const ofExperiment = ['problem', 'epsilon', 'records'];

export const audit: Command = {
  name: 'audit',
  arguments: 'EXPERIMENT.{json,yaml}',
  summary:
    'Attacks the plans of an experiment on synthetic records, and prints a lower bound on epsilon beside ' +
    'the certificate; writes audit.json and audit.html. Of private records it reads only the columns and ' +
    'their number, and it charges no ledger.',
  examples: ['lethe audit release.yaml --records 100', 'lethe audit --shipped --optimizer dp-sgd'],
  options: {
    shipped: {
      type: 'boolean',
      help:
        'instead of an experiment: every optimizer that ships, ' +
        'at each of its examples, under every adjacency',
    },
    optimizer: {
      type: 'string',
      value: 'NAME',
      help: 'only this optimizer, by its name or by the label that lethe audit prints',
    },
    problem: { type: 'string', value: 'NAME', help: 'only this problem of an evaluation' },
    epsilon: { type: 'number', value: 'E', help: 'only this budget of an evaluation' },
    records: {
      type: 'number',
      value: 'N',
      help: "plan for N records instead of the experiment's number; fewer records make quicker runs",
    },
    adjacency: { ...adjacencyOption, help: "neighbours, instead of the experiment's" },
    runs: { type: 'number', value: 'N', help: 'runs on each of the two neighbours (default 2000)' },
    confidence: {
      type: 'number',
      value: 'C',
      help: 'confidence of the lower bound on epsilon (default 0.95)',
    },
    'false-alarm': {
      type: 'number',
      value: 'P',
      help: 'largest probability of calling a true claim violated (default 1e-6)',
    },
    seed: {
      type: 'string',
      value: 'S',
      help: 'seed of all randomness (default 1); the same seed gives the same numbers',
    },
    out: {
      type: 'string',
      value: 'DIR',
      help: 'folder of the results (default results/<name of the experiment>-audit)',
    },
    set: setOption,
    plugin: pluginOption,
    json: jsonFlag,
  },
  check({ positionals, flag, string }) {
    if (!flag('shipped')) {
      if (positionals.length !== 1) throw new UsageError('give one experiment file, or --shipped');
      return;
    }
    if (positionals.length > 0)
      throw new UsageError('--shipped audits what ships and takes no experiment; give one of them');
    const stray = ofExperiment.find((name) => string(name) !== undefined);
    if (stray !== undefined)
      throw new UsageError(`--${stray} is about an experiment; leave it out with --shipped`);
  },
  load: async () => (await import('../audit.js')).auditPlans,
};
