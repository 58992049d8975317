import type { ClaimVerdict } from '@lethe/laws';
import type { Command } from '../command.js';
import { UsageError } from '../usage-error.js';
import { namesOf } from './names-of.js';
import { jsonFlag } from './shared-options.js';

const verdicts = namesOf<ClaimVerdict>({
  holds: true,
  corrected: true,
  typo: true,
  refuted: true,
  open: true,
  repeats: true,
});

export const claims: Command = {
  name: 'claims',
  arguments: '[CLAIMS.json …]',
  summary:
    "Prints the ledger of a paper's claims, and runs the checks behind its verdicts; without a file, " +
    'of every paper that ships.',
  options: {
    paper: { type: 'string', value: 'ID', help: 'only this paper' },
    verdict: {
      type: 'string',
      value: 'V',
      choices: verdicts,
      help: 'only claims with this verdict',
    },
    checks: {
      type: 'string',
      value: 'FILE.js',
      multiple: true,
      help: 'code that exports the checks of a given ledger (default: the ledger is read, nothing is run)',
    },
    seed: { type: 'string', value: 'S', help: 'seed of all randomness' },
    json: jsonFlag,
  },
  check({ positionals, strings }) {
    if (positionals.length === 0 && strings('checks').length > 0)
      throw new UsageError(
        '--checks is for the claims of a given ledger; give the ledger too, a claims.json',
      );
  },
  load: async () => (await import('../claims.js')).checkPapers,
};
