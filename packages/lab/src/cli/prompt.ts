import type { ReadStream, WriteStream } from 'node:tty';

/**
 * Asks on a terminal. An end of the input counts as an interrupt, so that a question is never taken for
 * answered.
 */
export const promptOn =
  (input: ReadStream, output: WriteStream) =>
  async (question: string): Promise<string> => {
    const { createInterface } = await import('node:readline');
    const lines = createInterface({ input, output });
    return new Promise((resolve) => {
      let isAnswered = false;
      const end = (): void => {
        if (isAnswered) return;
        output.write('\n');
        process.exit(130);
      };
      lines.once('SIGINT', end);
      lines.once('close', end);
      lines.question(question, (answer) => {
        isAnswered = true;
        lines.close();
        resolve(answer);
      });
    });
  };
