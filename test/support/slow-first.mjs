import Sequencer from '@jest/test-sequencer';

/** What starts processes or a browser takes minutes: begun last, it would keep one of two cores waiting for the other. */
const isSlow = ({ path }) => /\/e2e\/(cli|docs)\//.test(path);

export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
