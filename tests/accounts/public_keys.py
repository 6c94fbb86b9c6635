"""Public keys made with ssh-keygen, with the bits and fingerprints that `ssh-keygen -l` prints. Their private halves were thrown away."""

ED25519 = (
    ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPbfODfssVUATwQNMbWUxOzH/xOzg13or/TSG5SLA5Bk ada@laptop"),
    256,
    "SHA256:h80x1uNqkft4djaGkFyhq2EbTqZ21e9uN3hFHjPj310",
)
ECDSA_256 = (
    (
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJ41Tk5ch4GBv0krBd/1U4WABNGEBdcJ/ty4msVJZqZ4v9v32euhiOsPmh"
        "DgGgL6vfl+MAB2He1LQNA4hEKlyNM= ada@laptop"
    ),
    256,
    "SHA256:xSEYOeKlV1ScKmkdZI6i2tc6xdozEqvMbatXviebS8g",
)
ECDSA_384 = (
    (
        "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBEko6KrLtjoPW7MUpNcURel45AD9AsnCeuhwRHk4m57R/7zgjntIsHC/HI"
        "78QF1n6YHVrHcSM/XGDjhpGFJrpJGRi9uu3QMmBEw7HRBBOLg0tXvCC/IQSC2BRbhSKmIcHg== ada@laptop"
    ),
    384,
    "SHA256:sFQrYiHhKx3eFaxJ0BwW41JXaiFUzTQhOKO9U/DwlUs",
)
ECDSA_521 = (
    (
        "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAEBmpl8kQPXsYNh1n/lWIunSpxSkTDxkYsq78ERSqt5rPce+oOmgiC2s4"
        "C8RJ/mbE9pcNHuK7gRoBFXI3vyV0D8iADNB58Z7/1hVKS6auuF5vajifGG2i+3BqrYZaHbQdbwR8Ct1T2BF4tXFVziSWD/aCT3vssQ9FcwIr4tigX8XJeRMA== "
        "ada@laptop"
    ),
    521,
    "SHA256:hF3Wyagzmy4O5epxqmR6gCanRhUPkQ5FqxnVLZb7DSk",
)
RSA_2048 = (
    (
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDBTP46gbc7ux1swc1R5geQT+ZBAN0i+n0tul4wEsl9H3Zgcmo3p+9pVRraPTDKtJ/mU8K8iQ041lHF8Gcinm+Mq3cTtg"
        "Ti5pyHCVroJjYyO9naRS/OPuez7/BPmEXuvVz/fAjMNPOXbrKVI/AzmIA1nvNVbe8INQeJYya6q858xVVr/0M/XMCCPtQgMlYbqUXz54aarzt+IxmCgxCS8JJR2wo8Z9Fr"
        "84WS4aYuUuTm7XX2OChwEeaCJnDq8jb/x+3c9dMq2ZjVKNwxkllMjyaWGMYdiYFq7EzaGwjtUo7bC6RxaAT2yRxsoDFsj5MxTx28rDM/WftHyY9WOBSpAjDV "
        "ada@laptop"
    ),
    2048,
    "SHA256:Gzwz6di02hG6YPfi/JJpwdre8JhNRK753HwzQjz2958",
)
RSA_1024 = (
    (
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDjkWWRUgL9+ABTeQ/1O4k1qWl/p6odSKkV7vIGtcsK6ZkjsZW+GquDULGrSXea+p0URBZ+DUqnG8Am9JBF2GfUeCB/IG"
        "Ecwhoslfgz/6Mm7y9QE+Svc6acZ4I6jR+zZFgnRtToDt5oezUfulLYH7cv+qpnbC5mY8X5H0Wh9tXTlw== ada@laptop"
    ),
    1024,
    "SHA256:lQ0+SvvWQzRpZjp24WxKAq7oavz6XPxwaI7ZiQIxXUw",
)

GOOD = (ED25519, ECDSA_256, ECDSA_384, ECDSA_521, RSA_2048)
