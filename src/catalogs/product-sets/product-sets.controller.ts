import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Policy } from '../../auth/guards/endpoint-policy.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { JsonBody, Params } from '../../common/http/params/params.js';
import { CatalogUser } from '../product-catalogs/product-catalogs.dto.js';
import { presentProductSet, ProductSetView } from './product-set.presenter.js';
import { CreateProductSet, UpdateProductSet } from './product-sets.dto.js';
import { ProductSetsService } from './product-sets.service.js';

@CallerController('product_catalogs/:product_catalog_id/product_sets', {
  tag: 'Product catalogs',
  quota: 'PRODUCT_SET_READS',
  writeQuota: 'PRODUCT_SET_WRITES',
  perEndpoint: true,
})
export class ProductSetsController {
  constructor(private readonly sets: ProductSetsService) {}

  /** Lists the product sets of a catalog, the newest first. */
  @Get()
  @ReturnsList(ProductSetView)
  async list(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return (await this.sets.list(db, userId, catalogId, query)).map(presentProductSet);
  }

  /** Returns a product set with the keys of its products. */
  @Get(':product_set_id')
  @Returns(ProductSetView)
  async get(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('product_set_id') id: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return presentProductSet(await this.sets.get(db, userId, { catalogId, id }, query));
  }

  /** Creates a product set of named products, or of those that match filters. */
  @Post()
  @Policy({ body: 'json' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(ProductSetView, { status: 201 })
  async create(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @JsonBody() params: CreateProductSet,
    @Db() db: EntityManager,
  ) {
    return presentProductSet(await this.sets.create(db, userId, catalogId, params));
  }

  /** Changes a product set of named products. */
  @Put(':product_set_id')
  @Policy({ body: 'json', writeQuota: 'PRODUCT_SET_UPDATES' })
  @RouteConfig({ takesJsonOnly: true })
  @Returns(ProductSetView)
  async update(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('product_set_id') id: string,
    @JsonBody() params: UpdateProductSet,
    @Db() db: EntityManager,
  ) {
    return presentProductSet(await this.sets.update(db, userId, { catalogId, id }, params));
  }

  /** Deletes a product set permanently. Its products stay. */
  @Delete(':product_set_id')
  @Returns(ProductSetView)
  async delete(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') catalogId: string,
    @Param('product_set_id') id: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return presentProductSet(await this.sets.delete(db, userId, { catalogId, id }, query));
  }
}
