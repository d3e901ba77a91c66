import { Injectable, type OnModuleInit } from '@nestjs/common';
import { UserRemoval } from '../auth/user-removal/user-removal.service.js';
import { ProductCatalogsService } from './product-catalogs/product-catalogs.service.js';

/** Deletes the product catalog of a deleted user. */
@Injectable()
export class CatalogsRemoval implements OnModuleInit {
  constructor(
    private readonly removal: UserRemoval,
    private readonly catalogs: ProductCatalogsService,
  ) {}

  onModuleInit(): void {
    this.removal.register({ domain: 'catalogs', remove: ({ id }) => this.catalogs.deleteOf(id) });
  }
}
