import { priceOf } from '../../../src/catalogs/products/product.rules.js';

describe('the price of a product', () => {
  it.each([
    ['60 USD', 60_000_000, 'USD'],
    ['12.3 USD', 12_300_000, 'USD'],
    ['12.34 EUR', 12_340_000, 'EUR'],
    ['0.000001 USD', 1, 'USD'],
    ['7 JPY', 7_000_000, 'JPY'],
  ])('%s has millionths', (text, micro, currency) => expect(priceOf(text)).toEqual({ micro, currency }));

  it.each(['12', '12 usd', '12 XYZ', '12.1234567 USD', '1234567890 USD', '-1 USD', '1,50 USD', 'USD 12'])(
    '%s is none',
    (text) => expect(priceOf(text)).toBeUndefined(),
  );
});
