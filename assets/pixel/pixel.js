/* The pixel: remembers the click that led to this page, and sends the events of the page to the service that serves this file. */
(() => {
  const { twq, document, location, crypto } = globalThis;
  if (!twq || twq.exe) return;
  const endpoint = new URL('pixel/', document.currentScript.src).href;
  const MAX_AGE = 390 * 86400;
  let pixel;

  // with a longer click id, the service would refuse each event of this visitor
  const isClickId = (text) => text !== '' && text.length <= 512;

  /** The click of the cookie. Scripts of others write cookies, too, perhaps of another form. */
  const remembered = () => {
    const found = /(?:^|; )_twclid=([^;]*)/.exec(document.cookie);
    try {
      const twclid = found ? decodeURIComponent(found[1]) : '';
      return isClickId(twclid) ? twclid : undefined;
    } catch {
      return undefined;
    }
  };

  /** Sets the cookie for the widest domain that the browser allows. */
  const remember = (twclid) => {
    const labels = location.hostname.split('.');
    const attributes = `path=/; max-age=${MAX_AGE}; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
    for (let from = labels.length - 1; from >= 0; from--) {
      document.cookie = `_twclid=${encodeURIComponent(twclid)}; domain=${labels.slice(from).join('.')}; ${attributes}`;
      if (remembered() === twclid) return;
    }
    document.cookie = `_twclid=${encodeURIComponent(twclid)}; ${attributes}`;
  };

  /** The SHA-256 of a text, or the text if it is one already. Pages without HTTPS cannot hash. */
  const hashed = async (given, normalize) => {
    if (typeof given !== 'string' || given === '') return undefined;
    if (/^[0-9a-f]{64}$/i.test(given)) return given;
    if (!crypto?.subtle) return undefined;
    const bytes = new TextEncoder().encode(normalize(given));
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  };

  const send = async (eventId, parameters = {}) => {
    const { contents, email_address, phone_number, currency, value, conversion_id, number_items, description } =
      parameters;
    const items = Array.isArray(contents)
      ? contents.reduce((sum, { num_items }) => sum + (Number(num_items) || 0), 0)
      : 0;
    const fields = {
      event_id: eventId,
      conversion_id,
      value,
      price_currency: currency,
      number_items: number_items ?? (items || undefined),
      description,
      contents: Array.isArray(contents) ? JSON.stringify(contents) : undefined,
      event_source_url: location.origin + location.pathname,
      twclid: parameters.twclid ?? remembered(),
      hashed_email: await hashed(email_address, (text) => text.trim().toLowerCase()),
      hashed_phone_number: await hashed(phone_number, (text) => text.replace(/[^+\d]/g, '')),
    };
    const present = Object.entries(fields).filter(([, field]) => field !== undefined && field !== null && field !== '');
    const target = /^tw-([0-9a-z]+)-/.exec(eventId)?.[1] ?? pixel;
    if (target === undefined) return;
    // a form is a simple request, which the browser sends without asking first
    await fetch(`${endpoint}${encodeURIComponent(target)}/events`, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'omit',
      keepalive: true,
      body: new URLSearchParams(present),
    });
  };

  twq.exe = (command, ...values) => {
    if (command === 'config' || command === 'init') pixel = values[0];
    if (command === 'event') send(...values).catch(() => undefined);
  };

  const twclid = new URLSearchParams(location.search).get('twclid');
  if (twclid !== null && isClickId(twclid)) remember(twclid);
  for (const call of twq.queue.splice(0)) twq.exe(...call);
})();
