import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ProductCatalogsService } from '../catalogs/product-catalogs/product-catalogs.service.js';
import { ProductsService } from '../catalogs/products/products.service.js';

/** The catalog of a shop for coffee makers, and products: two alone, and two variants. */
export async function makeCatalog(app: INestApplicationContext, userId: string): Promise<Record<string, string>> {
  const { manager } = app.get(DataSource);
  const { id } = await app.get(ProductCatalogsService).create(manager, userId, { name: 'Northwind shop' });
  const product = (name: string, title: string, price: string, more: object = {}) => ({
    id: name,
    title,
    description: `${title}, made for many years of coffee.`,
    availability: 'in stock',
    condition: 'new',
    price,
    link: `https://northwind.example/shop/${name}`,
    image_link: `https://northwind.example/shop/${name}.jpg`,
    brand: 'Northwind',
    product_type: 'Coffee makers',
    inventory: 40,
    ...more,
  });
  const products = [
    product('french-press', 'French press', '29.00 USD', { custom_label_0: 'bestseller' }),
    product('mug-blue', 'Mug', '12.00 USD', { item_group_id: 'mug', color: 'blue', product_type: 'Mugs' }),
    product('mug-red', 'Mug', '12.00 USD', { item_group_id: 'mug', color: 'red', product_type: 'Mugs' }),
    product('kettle', 'Kettle', '49.00 USD', { sale_price: '39.00 USD' }),
  ];
  const [press, , , kettle] = await app.get(ProductsService).put(manager, userId, id, { products });
  return {
    product_catalog_id: id,
    // there is no other
    spare_product_catalog_id: id,
    product_key: press.productKey!,
    spare_product_key: kettle.productKey!,
  };
}
