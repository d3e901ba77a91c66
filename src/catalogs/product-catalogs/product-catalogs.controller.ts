import { Delete, Get, Param, Post, Put } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../auth/caller.js';
import { CallerController, CurrentCaller } from '../../auth/guards/ads-controller.js';
import { Db } from '../../auth/idempotency/request-db.js';
import { OncePerUser, Returns, ReturnsList } from '../../common/http/answers/returns.js';
import { Params } from '../../common/http/params/params.js';
import { presentProductCatalog, ProductCatalogView } from './product-catalog.presenter.js';
import { CatalogUser, CreateProductCatalog, UpdateProductCatalog } from './product-catalogs.dto.js';
import { ProductCatalogsService } from './product-catalogs.service.js';

@CallerController('product_catalogs', {
  tag: 'Product catalogs',
  quota: 'CATALOG_READS',
  writeQuota: 'CATALOG_WRITES',
  perEndpoint: true,
})
export class ProductCatalogsController {
  constructor(private readonly catalogs: ProductCatalogsService) {}

  /** Lists the product catalog of the user: one, or none. */
  @Get()
  @ApiResponse({ status: 404, description: 'The user_id is not that of the authenticated user.' })
  @ReturnsList(ProductCatalogView)
  async list(@CurrentCaller() { userId }: Caller, @Params() query: CatalogUser, @Db() db: EntityManager) {
    return (await this.catalogs.list(db, userId, query)).map(presentProductCatalog);
  }

  /** Creates the product catalog of the user, who can have one. */
  @Post()
  @ApiResponse({ status: 404, description: 'The user_id is not that of the authenticated user.' })
  @OncePerUser()
  @Returns(ProductCatalogView, { status: 201 })
  async create(@CurrentCaller() { userId }: Caller, @Params() params: CreateProductCatalog, @Db() db: EntityManager) {
    return presentProductCatalog(await this.catalogs.create(db, userId, params));
  }

  /** Renames a product catalog. */
  @Put(':product_catalog_id')
  @Returns(ProductCatalogView)
  async update(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') id: string,
    @Params() params: UpdateProductCatalog,
    @Db() db: EntityManager,
  ) {
    return presentProductCatalog(await this.catalogs.update(db, userId, id, params));
  }

  /** Deletes a product catalog with its products permanently. */
  @Delete(':product_catalog_id')
  @OncePerUser()
  @Returns(ProductCatalogView)
  async delete(
    @CurrentCaller() { userId }: Caller,
    @Param('product_catalog_id') id: string,
    @Params() query: CatalogUser,
    @Db() db: EntityManager,
  ) {
    return presentProductCatalog(await this.catalogs.delete(db, userId, id, query));
  }
}
