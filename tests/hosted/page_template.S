/* page_template: the page as it is; the Makefile says where it is. */
    .section .rodata
    .global page_template, page_template_bytes
page_template:
    .incbin PAGE_TEMPLATE
end:
    .balign 8
page_template_bytes:
    .quad end - page_template

    .section .note.GNU-stack, "", @progbits
