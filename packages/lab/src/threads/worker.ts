import { parentPort } from 'node:worker_threads';
import { serveWorker, type WorkerAssignment } from '@lethe/numerics';

parentPort!.on('message', (assignment: WorkerAssignment) => {
  serveWorker(assignment);
  parentPort!.postMessage('free', []);
});
