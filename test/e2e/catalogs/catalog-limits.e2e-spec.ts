import { useApp } from '../../support/app.js';
import { given } from '../../support/given.js';

useApp({ RATE_LIMITS: 'faithful', RATE_LIMIT_CATALOG_WRITES: '2/900', RATE_LIMIT_PRODUCT_WRITES: '2/900' });

it('each endpoint of catalogs has a window, which the other ones and other users do not use up', async () => {
  const { api, catalog } = await given.shop();
  const rename = () => api.put(catalog, { form: { name: 'Another name' } });
  const remaining = async () => (await rename()).headers['x-rate-limit-remaining'];
  // the creation of the catalog counts elsewhere
  expect([await remaining(), await remaining()]).toEqual(['1', '0']);
  const full = await rename();
  expect([full.status, full.body.errors[0].code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  const put = () => api.put(`${catalog}/products`, { json: { products: [given.product()] } });
  expect([(await put()).status, (await put()).status, (await put()).status]).toEqual([200, 200, 429]);
  const other = await given.shop();
  expect((await other.api.put(other.catalog, { form: { name: 'Its name' } })).status).toBe(200);
  expect((await api.delete(catalog)).status).toBe(200);
});
