/** What the page has of its own inside Swagger UI: the introduction folded, a filter with links to groups, snippets, and names that are new each time. */

import { resolveSubtree } from './resolve.js';
import { snippetsOf } from './snippets.js';

/**
 * @param page `{ isDemo, onDone }`: tells whether requests are signed with the keys of the demo; is called with each operation
 *   that succeeded
 */
export const plugin =
  ({ isDemo, onDone }) =>
  ({ React }) => {
    const h = React.createElement;

    /** The words come after the endpoints for who wants them. */
    const folded = (Original) => (props) =>
      h('details', { className: 'introduction' }, h('summary', null, 'How the API works'), h(Original, props));

    /** The filter, links to the groups below it, and what it says when nothing matches. */
    const Filter = ({ layoutActions, layoutSelectors, specSelectors }) => {
      const current = layoutSelectors.currentFilter();
      const phrase = typeof current === 'string' ? current : '';
      const matched = specSelectors.taggedOperations();
      return h(
        'div',
        { className: 'filter' },
        h('input', {
          type: 'search',
          className: 'operation-filter-input',
          placeholder: 'Filter: campaign, POST, batch …',
          'aria-label': 'Filter the operations',
          value: phrase,
          onChange: ({ target }) => layoutActions.updateFilter(target.value),
        }),
        h(
          'nav',
          { className: 'groups', 'aria-label': 'Groups of operations' },
          h('ul', null, ...namesOf(specSelectors.tags()).map((name) => h('li', { key: name }, group(name)))),
        ),
        // The element is always there, because screen readers announce only changes of an element that they know.
        h(
          'p',
          { role: 'status', className: 'no-match' },
          matched.size === 0 ? `No operation matches “${phrase}”.` : '',
          matched.size === 0 && !isOfX()
            ? [' ', h('a', { key: 'x', href: 'docs?names=x' }, 'Look in X’s names.')]
            : null,
        ),
      );

      // A group without a match keeps its place, so that nothing moves while the reader types.
      function group(name) {
        if (!matched.has(name)) return h('a', { role: 'link', 'aria-disabled': true }, name);
        const onClick = (event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
          event.preventDefault();
          jumpTo(name, layoutActions);
        };
        return h('a', { href: `#/${encodeURIComponent(name)}`, onClick }, name);
      }
    };

    /** The filter says that nothing matches. Swagger UI says that the document has no operations, which is wrong. */
    const matches = (Original) => (props) =>
      props.specSelectors.taggedOperations().size === 0 ? null : h(Original, props);

    /** Says what the button is for: the panel signs all other requests. */
    const explained = (Original) => (props) => {
      const describe = (element) =>
        element?.querySelector('.btn.authorize')?.setAttribute('aria-describedby', 'authorize-note');
      return h(
        'div',
        { ref: describe, className: 'authorize' },
        h(Original, props),
        h(
          'p',
          { id: 'authorize-note' },
          '“Execute” signs requests with the keys above (OAuth 1.0a), without this button. It is for webhooks only (/2/webhooks), which take the bearer token of an application.',
        ),
      );
    };

    /** Names the field in a component to who does not see what stands beside it. */
    const named = (nameOf) => (Original) => (props) => {
      const label = (element) => {
        const name = nameOf(props);
        for (const field of element?.querySelectorAll('input, select, textarea') ?? [])
          if (name && !field.labels?.length) field.setAttribute('aria-label', name);
      };
      return h('div', { ref: label }, h(Original, props));
    };

    /** An empty field of a form is left out, unless the reader says that it unsets what is there. */
    const leftOut = (Original) => (props) => {
      // All of these boxes have one id, and the label of each would tick the first of them.
      const own = (element) => element?.querySelector('label')?.removeAttribute('for');
      const isIncludedOptions = { ...props.isIncludedOptions, defaultValue: false };
      return h('div', { ref: own }, h(Original, { ...props, isIncludedOptions }));
    };

    const Snippets = ({ request }) => {
      const [chosen, choose] = React.useState('marquee');
      const [said, say] = React.useState('Copy');
      const code = React.useRef(null);
      const snippets = snippetsOf(request.toJS(), isDemo());
      if (snippets.length === 0) return null;
      const { text } = snippets.find(({ id }) => id === chosen);
      const tab = ({ id, title }) =>
        h(
          'button',
          {
            key: id,
            type: 'button',
            'data-snippet': id,
            'aria-pressed': id === chosen,
            onClick: () => {
              choose(id);
              say('Copy');
            },
          },
          title,
        );
      return h(
        'div',
        { className: 'snippets', role: 'group', 'aria-label': 'The same request in other clients' },
        h('h4', null, 'The same request in other clients'),
        h(
          'div',
          { className: 'snippets-bar' },
          ...snippets.map(tab),
          h(
            'button',
            { type: 'button', className: 'copy', onClick: async () => say(await copied(text, code.current)) },
            said,
          ),
        ),
        h('pre', { ref: code, tabIndex: 0, 'aria-label': 'Snippet' }, text),
        h(
          'p',
          { className: 'snippets-note' },
          'There is no curl example: a signed request is accepted only once, so each example signs a new one.',
        ),
      );
    };

    /** What was answered comes first. */
    const withSnippets = (Original) => (props) => {
      const request = props.specSelectors.mutatedRequestFor(props.path, props.method);
      return h(React.Fragment, null, h(Original, props), request && h(Snippets, { request }));
    };

    return {
      components: { FilterContainer: Filter, curl: () => null },
      wrapComponents: {
        InfoContainer: folded,
        operations: matches,
        authorizeBtn: explained,
        JsonSchemaForm: named(({ description, keyName }) => (description || keyName || '').split(' - ')[0]),
        RequestBodyEditor: named(() => 'Request body'),
        ServersContainer: named(() => 'Server'),
        OperationServers: named(() => 'Server'),
        ParameterIncludeEmpty: leftOut,
        liveResponse: withSnippets,
      },
      fn: { opsFilter: matching, resolveSubtree },
      statePlugins: { spec: { wrapActions: { setResponse: renewing(onDone) } } },
    };
  };

/** Whether the page shows the names of X. */
const isOfX = () => document.querySelector('.names a[aria-current]')?.search === '?names=x';

/** The names of the groups, in the order of the document. */
const namesOf = (tags) => tags?.map((tag) => tag.get('name')).toArray() ?? [];

/** How many frames the heading of a group must stay in place. Sizes of rows that come into sight are corrected meanwhile. */
const STILL_FRAMES = 5;
const MAX_FRAMES = 120;

/** Opens a group, scrolls to its heading and focuses it. Swagger UI renders only the rows in sight, so the heading may come later. */
function jumpTo(name, layoutActions) {
  const key = ['operations-tag', name];
  layoutActions.show(key, true);
  layoutActions.scrollToVirtualizedOperation(key);
  let still = 0;
  let frames = 0;
  globalThis.requestAnimationFrame(function follow() {
    const heading = document.querySelector(`.opblock-tag[data-tag="${globalThis.CSS.escape(name)}"]`);
    const before = globalThis.scrollY;
    heading?.scrollIntoView();
    still = heading && globalThis.scrollY === before ? still + 1 : 0;
    if (still >= STILL_FRAMES) heading.querySelector('a, button').focus({ preventScroll: true });
    else if (++frames < MAX_FRAMES) globalThis.requestAnimationFrame(follow);
  });
}

/** Browsers keep the clipboard to secure origins; elsewhere the text is selected and copied the old way. */
async function copied(text, element) {
  if (globalThis.navigator.clipboard) {
    const done = await globalThis.navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (done) return 'Copied';
  }
  globalThis.getSelection().selectAllChildren(element);
  return document.execCommand('copy') ? 'Copied' : 'Selected';
}

/** Operations in which every word of the phrase occurs, in their method, path, summary or group. */
export function matching(groups, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  return groups
    .map((group, tag) =>
      group.update('operations', (operations) =>
        operations.filter((each) => {
          const said = ['summary', 'operationId'].map((name) => each.getIn(['operation', name], ''));
          const text = [each.get('method'), each.get('path'), ...said, tag].join(' ').toLowerCase();
          return words.every((word) => text.includes(word));
        }),
      ),
    )
    .filter((group) => group.get('operations').size > 0);
}

/** After a write, what it had of ours that may stand only once gets a new name, so that Execute goes on to work. */
const renewing = (onDone) => (setResponse, system) => (path, method, response) => {
  const answered = setResponse(path, method, response);
  if (!response.ok) return answered;
  renew(system, [path, method]);
  void onDone(system.specSelectors.specJson().getIn(['paths', path, method])?.toJS() ?? {});
  return answered;
};

function renew({ specSelectors, oas3Selectors, oas3Actions }, pathMethod) {
  const said = oas3Selectors.requestBodyValue(...pathMethod);
  const content = specSelectors.specJson().getIn(['paths', ...pathMethod, 'requestBody', 'content']);
  if (!said || !content) return;
  for (const media of content.values()) {
    const names = media.get('x-names')?.toJS() ?? [];
    const renewed = (text) => names.reduce((whole, name) => whole.replace(usedOf(name), `$1${newMark()}`), text);
    if (names.length === 0) continue;
    if (typeof said === 'string') {
      oas3Actions.setRequestBodyValue({ value: renewed(said), pathMethod });
      continue;
    }
    for (const [field, entry] of said.entries()) {
      const text = entry.get('value');
      if (typeof text !== 'string' || renewed(text) === text) continue;
      oas3Actions.setRequestBodyValue({ value: said.clear().set(field, renewed(text)), pathMethod });
    }
  }
}

/** A name of ours: what it is, and the mark by which it differs. What a reader typed is theirs. */
const usedOf = (name) => new RegExp(`(${escaped(name.replace(MARK, ''))} )[0-9a-z]{8,}`, 'g');
const MARK = / [0-9a-z]{8,}$/;
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

let last = 0;
/** Never the same twice: the time, or what follows the last one. */
const newMark = () => (last = Math.max(Date.now(), last + 1)).toString(36);
