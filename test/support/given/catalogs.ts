import type { Client } from './auth.js';
import { auth } from './auth.js';
import { fresh } from './fresh.js';

/** A valid product as a shop sends it; its id is fresh. */
const product = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: fresh('shoe'),
  title: 'Trail shoe',
  description: 'A light shoe for trails.',
  availability: 'in stock',
  condition: 'new',
  price: '60.00 USD',
  link: 'https://shop.example/shoe',
  image_link: 'https://shop.example/shoe.jpg',
  brand: 'Northwind',
  ...more,
});

export type Shop = Client & { catalog: string };

export const catalogs = {
  product,

  /** A user with a product catalog, and the path of it. */
  async shop(): Promise<Shop> {
    const client = await auth.client();
    const { body } = await client.api.post('/12/product_catalogs', { form: { name: fresh('Catalog') } });
    return { ...client, catalog: `/12/product_catalogs/${body.data.id}` };
  },
};
