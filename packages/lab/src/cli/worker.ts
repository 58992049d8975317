import { connectNats } from '@lethe/federation';
import { defined } from '@lethe/numerics';
import { pluginsGiven } from '../plugins/option.js';
import { openQueue } from '../queue/queue.js';
import { taskThread } from '../queue/task-thread.js';
import { work } from '../queue/work.js';
import type { Action } from './command.js';
import { networkOf } from './network.js';

export const workOnQueue: Action = async (parsed, context) => {
  const { error, signal, hold } = context;
  // Modules that cannot be loaded are said before anything begins.
  await pluginsGiven(parsed);
  const network = { servers: defined(parsed.string('server')), from: '--server', name: 'lethe worker' };
  const connection = await connectNats(networkOf(parsed, network, context));
  const thread = taskThread({ plugins: parsed.strings('plugin'), folder: parsed.string('folder') });
  const letGo = hold();
  const sayEnding = (): void => error(ending);
  signal.addEventListener('abort', sayEnding);
  try {
    const count = await work(await openQueue(connection), {
      tasksOf: thread.tasksOf,
      idle: parsed.number('idle'),
      signal,
      say: (text) => error(`${text}\n`),
    });
    error(`${count} runs done\n`);
    return 0;
  } finally {
    letGo();
    signal.removeEventListener('abort', sayEnding);
    await thread.end();
    await connection.drain();
  }
};

const ending =
  'ending after the run at hand; a second interrupt ends at once, and gives the run to another worker\n';
