import { parentPort } from 'node:worker_threads';
import { defined, serveWorker, type WorkerAssignment } from '@lethe/numerics';

defined(parentPort).on('message', (assignment: WorkerAssignment) => {
  serveWorker(assignment);
  defined(parentPort).postMessage('free', []);
});
