import type { Case } from './cases.js';
import { ask } from './http.js';
import type { Pen } from './load/task.js';

/** Ids and times of what was created just now, and cursors, belong to the request alone. */
const withoutOwn = (body: string, creates: boolean) => {
  const same = body.replace(/"next_cursor":"[^"]+"/, '"next_cursor":"..."');
  return creates ? same.replace(/"(id|created_at|updated_at)":"[^"]+"/g, '"$1":"..."') : same;
};

/** The order in which parameters are echoed says nothing. */
const withEchoInOrder = (body: string) =>
  body.replace(/"params":\{([^{}]*)\}/g, (_, echoed: string) => `"params":{${echoed.split(',').sort().join()}}`);

/** Throws unless both servers answer a case with the same bytes: else they would not be doing the same work. */
export async function assertSameAnswers(
  { name, requests }: Case,
  pen: Pen,
  ours: number,
  reference: number,
): Promise<void> {
  for (const request of requests.slice(0, 5)) {
    const [one, other] = await Promise.all([ours, reference].map((port) => ask(port, pen, request)));
    const creates = request.method === 'POST';
    const [ourAnswer, theirAnswer] = [one, other].map((body) => withEchoInOrder(withoutOwn(body, creates)));
    if (ourAnswer !== theirAnswer)
      throw new Error(
        `${name}: the servers differ.\nours:      ${one.slice(0, 2_000)}\nreference: ${other.slice(0, 2_000)}`,
      );
  }
}
